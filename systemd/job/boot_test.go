package job_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/pdprov/pdprov/remote"
	"github.com/pdprov/pdprov/stages/stage"
	"github.com/pdprov/pdprov/systemd/job"
)

// testReboot: a reboot in the middle, also one that the step itself asks for, and one
// after a cancelled job.
func testReboot(p practice) {
	cancelled := p.start(spec("r-reboot", "command.cancelled", "echo ready; sleep 50"))
	p.awaitLog(cancelled, "ready")
	if err := job.Cancel(p.Context(), p.Host, cancelled); err != nil {
		p.Error(err)
	}
	done := p.start(spec("r-reboot", "command.done", "true"))
	p.end(done)
	ref := p.start(spec("r-reboot", "command.reboot", "echo ready; sleep 50"))
	p.awaitLog(ref, "ready")
	if err := p.box.Reboot(); err != nil {
		p.Fatal(err)
	}
	st, log := p.end(ref)
	if st.State != job.Interrupted || !strings.Contains(st.Result.Describe(), "reboot") || !strings.Contains(log, "ready") {
		p.Errorf("%s %+v %s", st.Result.Describe(), st, log)
	}
	if st, _ := p.status(done); st.State != job.Done {
		p.Errorf("done before the reboot: %+v", st)
	}
	if st, _ := p.status(cancelled); st.State != job.Failed || !strings.Contains(st.Result.Describe(), "cancelled") {
		p.Errorf("cancelled before the reboot: %s %+v", st.Result.Describe(), st)
	}
	boot := p.beside(readBoot)
	own := p.start(spec("r-reboot", "command.own", "systemctl reboot; sleep 50"))
	st, _ = p.end(own) // the link is lost and comes back
	p.awaitReboot(boot)
	if st.State != job.Interrupted {
		p.Errorf("a step that reboots: %s %+v", st.Result.Describe(), st)
	}
	if st, _ := p.end(p.start(spec("r-reboot2", "command.own", "true"))); !st.Result.OK() {
		p.Errorf("after the reboot: %+v", st)
	}
}

// testPower: no result is written.
func testPower(p practice) {
	const secret = "hunter2-91c4"
	s := spec("r-power", "command.power", `echo ready; sleep 50`)
	s.Env = map[string]string{"TOKEN": secret}
	s.Steps[0].Files = []stage.File{{Name: "token", Data: []byte(secret)}}
	ref := p.start(s)
	p.awaitLog(ref, "ready")
	if err := p.box.PowerOff(); err != nil {
		p.Fatal(err)
	}
	if err := p.box.PowerOn(); err != nil {
		p.Fatal(err)
	}
	st, _ := p.end(ref)
	if st.State != job.Interrupted || !strings.Contains(st.Result.Describe(), "power cut") {
		p.Errorf("%s %+v", st.Result.Describe(), st)
	}
	p.beside(": >" + ref.Dir + "/started") // as after a crash of the file system
	torn := job.Ref{Run: ref.Run, Stage: job.Slug(ref.Stage), Unit: ref.Unit, Dir: ref.Dir}
	if st, found := p.status(torn); !found || st.State != job.Interrupted {
		p.Errorf("with an empty mark: %v %+v", found, st)
	}
	dead := job.RefOf("r-power3", "command.dead") // a start that the power cut ended
	p.beside("mkdir -p " + dead.Dir + "/env; echo " + secret + " >" + dead.Dir + "/env/step0")
	beside := spec("r-power2", "command.beside", "echo ready; sleep 50")
	beside.Env = s.Env
	alive := p.start(beside)
	p.awaitLog(alive, "ready")
	s.Run = "r-power2"
	s.Steps[0].Script = "true"
	if st, _ := p.end(p.start(s)); !st.Result.OK() {
		p.Errorf("after the power cut: %+v", st)
	}
	if left := p.beside("grep -rl " + secret + " /var/lib/pdprov || :"); left != alive.Dir+"/env/step0\n" {
		p.Errorf("only the running job needs its secret, but it is in %s", left)
	}
	if st, found := p.status(torn); !found || st.State != job.Interrupted {
		p.Errorf("the interrupted job is now: %v %+v", found, st)
	}
	if err := job.Cancel(p.Context(), p.Host, alive); err != nil {
		p.Error(err)
	}
}

// testCut: the follower goes on at the right byte.
func testCut(p practice) {
	ref := p.start(spec("r-cut", "command.cut", "for i in $(seq 1 120); do echo line $i; sleep 0.1; done"))
	var log bytes.Buffer
	var lost, back int
	at := int64(-1)
	cut := false
	st, err := job.Follow(p.Context(), p.Host, ref, 0, func(chunk []byte, end int64) {
		log.Write(chunk)
		if int64(log.Len()) != end {
			p.Errorf("after %d bytes the offset is %d", log.Len(), end)
		}
		if !cut && log.Len() > 100 {
			cut = true
			p.box.Cut()
			time.AfterFunc(8*time.Second, func() { p.box.Mend() })
		}
	}, job.FollowOptions{
		Deadline: time.Minute,
		OnLost:   func(error) { lost++ },
		OnBack:   func(offset int64) { back++; at = offset },
	})
	if err != nil || !st.Result.OK() {
		p.Fatalf("%v %+v", err, st)
	}
	var want strings.Builder
	want.WriteString("== the step\n")
	for i := range 120 {
		fmt.Fprintf(&want, "line %d\n", i+1)
	}
	if log.String() != want.String() || lost != 1 || back != 1 || at < 100 {
		p.Errorf("lost %d, back %d at %d:\n%s", lost, back, at, log.String())
	}
}

// testSilence: a link that stays cut ends the follower within its deadline, not the job.
func testSilence(p practice) {
	ref := p.start(spec("r-silence", "command.silence", "echo ready; sleep 6; echo end"))
	p.awaitLog(ref, "ready")
	if err := p.box.Cut(); err != nil {
		p.Fatal(err)
	}
	_, err := job.Follow(p.Context(), p.Host, ref, 0, func([]byte, int64) {}, job.FollowOptions{Deadline: 2 * time.Second})
	if !remote.IsUnknown(err) {
		p.Errorf("got %v", err)
	}
	ctx, cancel := within(p, time.Second)
	defer cancel()
	if _, err := job.Follow(ctx, p.Host, ref, 0, func([]byte, int64) {}, job.FollowOptions{}); !errors.Is(err, context.DeadlineExceeded) {
		p.Errorf("a context that ends: %v", err)
	}
	if err := p.box.Mend(); err != nil {
		p.Fatal(err)
	}
	if st, log := p.end(ref); !st.Result.OK() || !strings.HasSuffix(log, "end\n") {
		p.Errorf("%+v %q", st, log)
	}
}
