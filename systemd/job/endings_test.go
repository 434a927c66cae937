package job_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pdprov/pdprov/systemd/job"
)

// endings are the rows of the table of endings that need no reboot.
var endings = []struct {
	name, script, beside string
	timeout              time.Duration
	memory               string
	state                job.State
	says                 string
}{
	{name: "exit 0", script: "echo hello", state: job.Done, says: "ended well"},
	{name: "exit 4", script: "exit 4", state: job.Failed, says: "failed with exit status 4"},
	{name: "a command that fails", script: "false\necho never", state: job.Failed, says: "failed with exit status 1"},
	{name: "a variable that is not set", script: `echo "$nowhere"`, state: job.Failed, says: "failed with exit status 2"},
	{name: "a syntax error", script: "if", state: job.Failed, says: "failed with exit status 2"},
	{
		name: "kill -9 of the main process", script: "echo ready; sleep 50", beside: "kill -9 $(systemctl show -p MainPID --value UNIT)",
		state: job.Failed, says: "was ended by signal KILL",
	},
	{name: "kill -9 of all", script: "echo ready; sleep 50", beside: "systemctl kill -s KILL UNIT", state: job.Failed, says: "was ended by signal KILL"},
	{name: "kill -9 of the step's shell", script: "kill -9 $$", state: job.Failed, says: "failed with exit status 137"},
	{
		name: "TERM of the main process", script: "echo ready; sleep 50", beside: "kill -TERM $(systemctl show -p MainPID --value UNIT)",
		state: job.Failed, says: "was cancelled on the host",
	},
	{name: "timeout", script: "sleep 50", timeout: time.Second, state: job.Failed, says: "ran longer than its timeout"},
	{name: "systemctl stop", script: "echo ready; sleep 50", beside: "systemctl stop UNIT", state: job.Failed, says: "was cancelled on the host"},
	{name: "memory limit", script: "tail -c 200000000 /dev/zero", memory: "16M", state: job.Failed, says: "memory limit"},
	{name: "a daemon left behind", script: "sleep 1000 & echo left", state: job.Done, says: "ended well"},
	{name: "systemd executed anew", script: "echo ready; until [ -e /run/anew ]; do sleep 0.1; done; echo after", beside: "systemctl daemon-reexec; systemctl daemon-reload; touch /run/anew", state: job.Done, says: "ended well"},
	{name: "no result", script: "echo ready; sleep 50", beside: "rm DIR/stop.sh; systemctl stop UNIT", state: job.Failed, says: "ended without a result"},
}

func testEndings(p practice) {
	limits := strings.Contains(p.beside("cat /sys/fs/cgroup/cgroup.controllers"), "memory")
	for i, row := range endings {
		if row.memory != "" && !limits {
			p.T.Run(row.name, func(t *testing.T) {
				t.Skip("the hosts of this lab have no memory controller, so nothing enforces MemoryMax")
			})
			continue
		}
		s := spec("r-endings", "command."+row.name, row.script)
		s.MemoryMax = row.memory
		if row.timeout > 0 {
			s.Timeout = row.timeout
		}
		ref := p.start(s)
		if row.beside != "" {
			p.awaitLog(ref, "ready")
			if st, found := p.status(ref); !found || st.State != job.Running || st.Owner != "alice@laptop" {
				p.Errorf("%s: while it runs: %v %+v", row.name, found, st)
			}
			p.beside(strings.NewReplacer("UNIT", ref.Unit, "DIR", ref.Dir).Replace(row.beside))
		}
		st, log := p.end(ref)
		if st.State != row.state || !strings.Contains(st.Result.Describe(), row.says) || st.Result.OK() != (row.state == job.Done) {
			p.Errorf("%d %s: %s: %s: %+v\n%s", i, row.name, st.State, st.Result.Describe(), st.Result, log)
		}
		if again, found := p.status(ref); !found || again.State != st.State || again.Result != st.Result {
			p.Errorf("%s: the list says %v %+v, the follower %+v", row.name, found, again, st)
		}
		left := p.beside(fmt.Sprintf("ls %s | tr '\\n' ' '", ref.Dir))
		if row.name != "no result" && left != "about begin.sh log result started stop.sh " {
			p.Errorf("%s: %s is left in the folder", row.name, left)
		}
	}
	if n := p.beside("pgrep -cx sleep || :"); strings.TrimSpace(n) != "0" {
		p.Errorf("%s processes of jobs are left", n)
	}
}

// testAgain starts the same stage many times in a row: what an ended job leaves with
// systemd must not be in the way of the next.
func testAgain(p practice) {
	for i := range 20 {
		script := "true"
		if i%2 == 1 {
			script = "exit 3"
		}
		ref := p.start(spec(fmt.Sprintf("r-again-%d", i), "command.again", script))
		if st, _ := p.end(ref); st.State == job.Running || st.Result.OK() != (i%2 == 0) {
			p.Errorf("%d: %+v", i, st)
		}
	}
}

// testLeftovers: what a start that was killed half-way leaves is no job and goes with the next.
func testLeftovers(p practice) {
	s := spec("r-left", "command.left", "echo ran")
	ref := job.RefOf(s.Run, s.Stage)
	p.beside("umask 077; mkdir -p " + ref.Dir + "/files " + ref.Dir + ".new.999999/files " + job.Root + "/r-older/x.new.999998; touch " + ref.Dir + "/about")
	if st, found := p.status(ref); found {
		p.Errorf("a start that was killed is found as %+v", st)
	}
	if st, log := p.end(p.start(s)); !st.Result.OK() || log != "== the step\nran\n" {
		p.Errorf("%+v %q", st, log)
	}
	if left := p.beside("find " + job.Root + " -name '*.new.*'"); left != "" {
		p.Errorf("left: %s", left)
	}
}

// testCancelIsOfOneRun: the next run's job of the same stage has the same unit.
func testCancelIsOfOneRun(p practice) {
	first := p.start(spec("r-cancel-1", "command.cancel", "echo one"))
	p.end(first)
	second := p.start(spec("r-cancel-2", "command.cancel", "echo ready; trap 'echo told' TERM; sleep 50 & wait; wait"))
	p.awaitLog(second, "ready")
	if err := job.Cancel(p.Context(), p.Host, first); err != nil {
		p.Error(err)
	}
	if st, _ := p.status(second); st.State != job.Running {
		p.Errorf("cancelling the first run's job did this to the second's: %+v", st)
	}
	if st, _ := p.status(first); st.State != job.Done {
		p.Errorf("the first run's job is now %+v", st)
	}
	if err := job.Cancel(p.Context(), p.Host, second); err != nil {
		p.Error(err)
	}
	if st, found := p.status(second); !found || st.State != job.Failed || st.Result.Describe() != "was cancelled on the host (systemctl stop)" {
		p.Errorf("after Cancel returned: %v %+v", found, st)
	}
	if err := job.Cancel(p.Context(), p.Host, job.RefOf("r-none", "command.none")); err == nil {
		p.Error("a job that never was is cancelled")
	}
}

// testPrune keeps the newest runs and every run with a running job.
func testPrune(p practice) {
	p.beside("rm -rf " + job.Root)
	busy := p.start(spec("r-prune-busy", "command.busy", "echo ready; sleep 50"))
	p.awaitLog(busy, "ready")
	for i := range 4 {
		p.end(p.start(spec(fmt.Sprintf("r-prune-%d", i), "command.prune", "sleep 1")))
	}
	if err := job.Prune(p.Context(), p.Host, 2); err != nil {
		p.Fatal(err)
	}
	if left := strings.Fields(p.beside("ls " + job.Root)); strings.Join(left, " ") != "r-prune-2 r-prune-3 r-prune-busy" {
		p.Errorf("left are %v", left)
	}
	if err := job.Cancel(p.Context(), p.Host, busy); err != nil {
		p.Error(err)
	}
	if err := job.Prune(p.Context(), p.Host, 0); err != nil {
		p.Error(err)
	}
	if left := p.beside("ls -A " + job.Root); left != "" {
		p.Errorf("left are %s", left)
	}
}
