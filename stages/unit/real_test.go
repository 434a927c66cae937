package unit

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/pdprov/pdprov/internal/lab"
	"github.com/pdprov/pdprov/stages/stage"
	"github.com/pdprov/pdprov/stages/stagetest"
)

// place is a disposable host with a booted systemd.
type place struct {
	t     *testing.T
	shell []string
}

func inPlace(t *testing.T) place {
	t.Helper()
	lab.Require(t)
	words, err := lab.ForTest(t, 1).Host("h1").ExecArgs("dash")
	if err != nil {
		t.Fatal(err)
	}
	return place{t, words}
}

func (p place) run(script string) string {
	p.t.Helper()
	out, err := doInPlace(p, stage.Step{Script: script})
	if err != nil {
		p.t.Fatalf("%s: %v\n%s", script, err, out)
	}
	return out
}

// doInPlace hands files over inside the script, since the place has other folders.
func doInPlace(p place, s stage.Step) (string, error) {
	script := s.Script
	if len(s.Files) > 0 {
		script = "PDPROV_FILES=$(mktemp -d)\ncat >\"$PDPROV_FILES/content\" <<'PDPROV_END'\n" + string(s.Files[0].Data) + "PDPROV_END\n" + script
	}
	a := stagetest.Look(p.t, p.shell, []stage.Probe{{ID: "step", Script: "set -eu\nexec 2>&1\n" + script}})["step"]
	if a.Outcome != stage.Answered {
		return string(a.Body) + a.Detail, os.ErrInvalid
	}
	return string(a.Body), nil
}

func instance(values map[string]any, refs map[string]stage.Referred) stage.Instance {
	return stage.Instance{Addr: "unit.x", Config: stage.Config{Values: values}, Refs: refs}
}

func (p place) changes(in stage.Instance) (stage.Facts, []stage.Change) {
	p.t.Helper()
	if found := (Kind{}).Validate(in); len(found) > 0 {
		p.t.Fatal(found)
	}
	facts := stagetest.Look(p.t, p.shell, Kind{}.Probes(in))
	want, _ := Kind{}.Want(in, facts)
	have := Kind{}.Have(in, facts)
	var changes []stage.Change
	for _, path := range want.Paths() {
		if have[path].State == stage.Unknown {
			p.t.Fatalf("%s is unknown: %s", path, have[path].Reason)
		}
		if !want[path].Matches(have[path]) {
			changes = append(changes, stage.Change{Path: path, Old: have[path], New: want[path]})
		}
	}
	return facts, changes
}

func (p place) expect(in stage.Instance, wanted ...string) {
	p.t.Helper()
	_, changes := p.changes(in)
	var got []string
	for _, c := range changes {
		got = append(got, c.Path+"="+c.Old.String())
	}
	if strings.Join(got, "\n") != strings.Join(wanted, "\n") {
		p.t.Fatalf("changes %q, want %q", got, wanted)
	}
}

func (p place) converge(in stage.Instance, impact stage.Impact) {
	p.t.Helper()
	facts, changes := p.changes(in)
	if len(changes) == 0 {
		p.t.Fatal("nothing to do")
	}
	work, found := Kind{}.Work(in, facts, changes)
	if len(found) > 0 || work.Impact != impact {
		p.t.Fatalf("impact %s, want %s, %v", work.Impact, impact, found)
	}
	for _, s := range work.Steps {
		if out, err := doInPlace(p, s); err != nil {
			p.t.Fatalf("%s: %v\n%s", s.Title, err, out)
		}
	}
	p.expect(in)
}

const service = "[Service]\nExecStart=/bin/sleep infinity\n[Install]\nWantedBy=multi-user.target\n"

func TestLifeOfAService(t *testing.T) {
	p := inPlace(t)
	values := map[string]any{"name": "pdprov-test.service", "content": service, "enabled": true, "running": true, "restart_on": []string{"file.conf"}}
	in := instance(values, map[string]stage.Referred{"file.conf": {Kind: "file", Config: stage.Config{Values: map[string]any{"path": "/etc/pdprov-test.conf"}}}})
	gone := instance(map[string]any{"name": "pdprov-test.service", "ensure": "absent"}, nil)
	clean := "systemctl stop pdprov-test.service 2>/dev/null || :\nrm -rf /etc/systemd/system/pdprov-test.service* /etc/systemd/system/*/pdprov-test.service /etc/pdprov-test.conf\nsystemctl daemon-reload"
	p.run(clean)
	t.Cleanup(func() { p.run(clean) })
	p.run("echo a >/etc/pdprov-test.conf")
	p.expect(in, "content=(absent)", "enabled=(absent)", "file_mode=(absent)", "running=(absent)")
	p.converge(in, stage.NoImpact)

	t.Log("a restart derived from the file's time alone")
	p.run("sleep 0.1; echo b >/etc/pdprov-test.conf")
	p.expect(in, "process=older than /etc/pdprov-test.conf")
	p.converge(in, stage.Restart)

	t.Log("a time in the future does not restart for ever")
	p.run("touch -d '+1 hour' /etc/pdprov-test.conf")
	p.expect(in)

	t.Log("stopped, disabled, masked, failed by hand")
	p.run("systemctl disable --now pdprov-test.service")
	p.expect(in, "enabled=disabled", "running=inactive")
	p.converge(in, stage.NoImpact)
	p.run("rm /etc/systemd/system/multi-user.target.wants/pdprov-test.service")
	p.expect(in, "enabled=disabled")
	p.converge(in, stage.NoImpact)
	p.run("systemctl kill --signal=KILL pdprov-test.service; sleep 0.5")
	p.expect(in, "running=failed")
	p.converge(in, stage.NoImpact)
	p.run("systemctl mask --runtime --now pdprov-test.service")
	p.converge(in, stage.NoImpact)
	p.run("systemctl stop pdprov-test.service; rm /etc/systemd/system/pdprov-test.service; systemctl mask pdprov-test.service")
	p.expect(in, "content=masked", "enabled=masked", "file_mode=masked", "running=inactive")
	p.converge(in, stage.NoImpact)

	t.Log("a drop-in by hand, not loaded and loaded")
	p.run("mkdir -p /etc/systemd/system/pdprov-test.service.d; printf '[Service]\\nNice=3\\n' >'/etc/systemd/system/pdprov-test.service.d/a b.conf'")
	p.expect(in, "dropins=/etc/systemd/system/pdprov-test.service.d/a b.conf",
		"process=older than /etc/systemd/system/pdprov-test.service.d/a b.conf (will be removed)")
	p.run("systemctl daemon-reload; systemctl restart pdprov-test.service")
	ignoring := in
	ignoring.Ignore = []string{"dropins", "content"}
	p.expect(ignoring, "dropins=/etc/systemd/system/pdprov-test.service.d/a b.conf") // which stays, and so does the process
	p.converge(in, stage.Restart)
	allowed := instance(map[string]any{"name": "pdprov-test.service", "content": service, "dropins": []string{"/etc/systemd/system/pdprov-test.service.d/ok.conf"}}, nil)
	p.run("printf '[Service]\\nNice=3\\n' >/etc/systemd/system/pdprov-test.service.d/ok.conf; systemctl daemon-reload; systemctl restart pdprov-test.service")
	p.expect(allowed)

	t.Log("the file edited on the host and in the plan")
	p.run("printf '# by hand\\n' >>/etc/systemd/system/pdprov-test.service; chmod 600 /etc/systemd/system/pdprov-test.service")
	p.run("systemctl daemon-reload; systemctl restart pdprov-test.service")
	if _, changes := p.changes(ignoring); stage.Changed(changes, "process") {
		t.Errorf("restarted for a file that stays: %v", changes)
	}
	p.converge(in, stage.Restart)
	values["content"] = strings.Replace(service, "infinity", "10000", 1)
	p.converge(in, stage.Restart)

	t.Log("its state alone, then gone")
	p.converge(instance(map[string]any{"name": "pdprov-test.service", "running": false, "enabled": false}, nil), stage.Downtime)
	p.converge(gone, stage.NoImpact)
	p.run("rm -rf /etc/systemd/system/pdprov-test.service.d /etc/pdprov-test.conf; systemctl daemon-reload")
	p.expect(instance(map[string]any{"name": "pdprov-test.service", "running": false, "enabled": false}, nil))
}

func TestCrashingServiceFailsTheStep(t *testing.T) {
	p := inPlace(t)
	for name, restart := range map[string]string{"once": "", "again and again": "Restart=always\nRestartSec=100ms\nStartLimitIntervalSec=0\n"} {
		in := instance(map[string]any{"name": "pdprov-crash.service", "content": "[Unit]\nStartLimitIntervalSec=0\n[Service]\n" + strings.Replace(restart, "StartLimitIntervalSec=0\n", "", 1) + "ExecStart=/bin/sh -c 'sleep 0.2; echo last words; exit 3'\n", "running": true}, nil)
		facts, changes := p.changes(in)
		work, _ := Kind{}.Work(in, facts, changes)
		var out string
		var err error
		for _, s := range work.Steps {
			out, err = doInPlace(p, s)
		}
		if err == nil || !strings.Contains(out, "last words") {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
		p.run("systemctl stop pdprov-crash.service; rm /etc/systemd/system/pdprov-crash.service; systemctl daemon-reload; systemctl reset-failed pdprov-crash.service || :")
	}
}

func TestManyUnitsInOneLookUnderEveryShell(t *testing.T) {
	p := inPlace(t)
	var probes []stage.Probe
	for _, name := range []string{"no-such.service", "dbus.service", "nor-this.timer", "dbus.socket", `odd\x20name.service`, "basic.target"} {
		probes = append(probes, stateProbe(name))
	}
	enter := p.shell[:len(p.shell)-1]
	for _, shell := range [][]string{{"dash"}, {"bash", "--posix"}, {"busybox", "sh"}} {
		facts := stagetest.Look(t, append(slices.Clone(enter), shell...), probes)
		for _, probe := range probes {
			s, unknown := readState(probe, facts)
			if unknown != nil {
				t.Fatalf("%v: %s: %s", shell, probe.ID, unknown.Reason)
			}
			exists := strings.Contains(probe.ID, "dbus") || strings.Contains(probe.ID, "basic")
			if s.there() != exists || exists && (s.enabled == "" || s.props["ActiveState"] != "active" || s.filesWhy != "") {
				t.Errorf("%v: %s: %+v", shell, probe.ID, s)
			}
		}
	}
}
