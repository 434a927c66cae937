package job

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdprov/pdprov/stages/stage"
)

// TestResult holds the rows of the table of endings.
func TestResult(t *testing.T) {
	ended := func(service, code, status string) Result {
		return Result{Service: service, Code: code, Status: status, Written: true, SameBoot: true}
	}
	otherBoot := func(r Result, system string) Result {
		r.SameBoot, r.System = false, system
		return r
	}
	for _, row := range []struct {
		name  string
		r     Result
		state State
		says  string
	}{
		{"exit 0", ended("success", "exited", "0"), Done, "ended well"},
		{"exit 0 before a reboot", otherBoot(ended("success", "exited", "0"), ""), Done, "ended well"},
		{"exit 4", ended("exit-code", "exited", "4"), Failed, "failed with exit status 4"},
		{"kill -9", ended("signal", "killed", "KILL"), Failed, "was ended by signal KILL"},
		{"dumped core", ended("core-dump", "dumped", "SEGV"), Failed, "was ended by signal SEGV"},
		{"timeout", ended("timeout", "killed", "TERM"), Failed, "longer than its timeout"},
		{"timeout, rebooted since", otherBoot(ended("timeout", "killed", "TERM"), ""), Failed, "longer than its timeout"},
		{"timeout without obedience", ended("timeout", "killed", "KILL"), Failed, "20 s"},
		{"memory", ended("oom-kill", "killed", "KILL"), Failed, "memory limit"},
		{"memory, rebooted since", otherBoot(ended("oom-kill", "killed", "TERM"), ""), Failed, "memory limit"},
		{"systemctl stop", ended("success", "killed", "TERM"), Failed, "was cancelled on the host"},
		{"systemctl stop, rebooted since", otherBoot(ended("success", "killed", "TERM"), "running"), Failed, "was cancelled on the host"},
		{"reboot", otherBoot(ended("success", "killed", "TERM"), "stopping"), Interrupted, "reboot"},
		{"reboot, systemd said nothing", otherBoot(ended("success", "killed", "TERM"), ""), Interrupted, "reboot"},
		{"shutdown that goes on", Result{Service: "success", Code: "killed", Status: "TERM", System: "stopping", Written: true, SameBoot: true}, Interrupted, "shutdown"},
		{"could not run", ended("exit-code", "", ""), Failed, "exit-code"},
		{"power cut", Result{}, Interrupted, "power cut"},
		{"runs", Result{SameBoot: true, UnitActive: true}, Running, "runs"},
		{"gone", Result{SameBoot: true}, Failed, "without a result"},
		{"status 0 that nothing proves", Result{SameBoot: true, Service: "success", Code: "exited", Status: "0"}, Failed, "without a result"},
	} {
		if row.r.state() != row.state || !strings.Contains(row.r.Describe(), row.says) || row.r.OK() != (row.state == Done) {
			t.Errorf("%s: %s, %q", row.name, row.r.state(), row.r.Describe())
		}
	}
}

func TestSlug(t *testing.T) {
	seen := map[string]string{}
	for _, addr := range []string{"file.motd", "file.Motd", "file.motd ", `file.motd["a"]`, `file.motd["b"]`, "", "-rf", "../x", "ü$%h", strings.Repeat("x", 300), strings.Repeat("x", 301)} {
		s := Slug(addr)
		if len(s) > 60 || strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789_-") != "" || seen[s] != "" {
			t.Errorf("%q is %q, as is %q", addr, s, seen[s])
		}
		seen[s] = addr
	}
}

func TestCheck(t *testing.T) {
	step := func(change func(*stage.Step)) Spec {
		s := stage.Step{Title: "t", Script: "true", Env: map[string]string{"A": "$x"}, Files: []stage.File{{Name: "-a b"}}}
		change(&s)
		return Spec{Run: "r-1", Steps: []stage.Step{s}, MemoryMax: "8G", CPUQuota: "400%"}
	}
	if err := step(func(*stage.Step) {}).check(); err != nil {
		t.Error(err)
	}
	bad := []Spec{
		{Run: ""},
		{Run: "../x"},
		{Run: "a/b"},
		{Run: ".new"},
		{Run: "r", MemoryMax: "1 -p X"},
		{Run: "r", CPUQuota: "$x"},
		{Run: "r", Env: map[string]string{"A B": ""}},
		{Run: "r", Env: map[string]string{"A": "secret\x00"}},
		step(func(s *stage.Step) { s.Script = "\x00" }),
		step(func(s *stage.Step) { s.Env["1A"] = "" }),
	}
	for _, name := range []string{"", ".", "..", "a/b", "a\x00", strings.Repeat("x", 256), "-a b"} {
		bad = append(bad, step(func(s *stage.Step) { s.Files = append(s.Files, stage.File{Name: name}) }))
	}
	for _, s := range bad {
		if err := s.check(); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%+v: %v", s, err)
		}
	}
}

func TestSpent(t *testing.T) {
	var jobs []Status
	for _, j := range []struct {
		run   string
		state State
	}{{"a", Running}, {"b", Done}, {"c", Done}, {"b", Failed}, {"d", Interrupted}, {"a", Done}} {
		jobs = append(jobs, Status{Ref: Ref{Run: j.run}, State: j.state})
	}
	for keep, want := range map[int]string{-1: "dbc", 0: "dbc", 1: "dbc", 2: "bc", 3: "c", 4: "", 9: ""} {
		if got := strings.Join(spent(jobs, keep), ""); got != want {
			t.Errorf("keep %d: %q may go, wanted %q", keep, got, want)
		}
	}
}

func TestParseRefusesWhatIsNotWhole(t *testing.T) {
	body := []byte("job=./r-1/x-1\nstage=" + hexText("file.x") + "\nboot=b\ninvocation=i\ncurrent=b\nActiveState=active\nInvocationID=i\nId=pdprov-x.service\nsizes\n12 ./r-1/x-1/log\nwhole\n")
	jobs, err := Parse(stage.Answer{Outcome: stage.Answered, Body: body})
	if err != nil || len(jobs) != 1 || jobs[0].State != Running || jobs[0].Size != 12 || jobs[0].Ref.Stage != "file.x" || jobs[0].Ref.Dir != Root+"/r-1/x-1" {
		t.Fatalf("%v %+v", err, jobs)
	}
	for n := range len(body) - 1 {
		if jobs, err := Parse(stage.Answer{Outcome: stage.Answered, Body: body[:n]}); err == nil {
			t.Errorf("the first %d bytes make %+v", n, jobs)
		}
	}
	for _, o := range []stage.Outcome{stage.NotAsked, stage.Failed, stage.Hung} {
		if _, err := Parse(stage.Answer{Outcome: o}); err == nil {
			t.Errorf("an answer that %s is taken for no jobs", o)
		}
	}
	if jobs, err := Parse(stage.Answer{Outcome: stage.Absent}); err != nil || jobs != nil {
		t.Errorf("absent: %v %v", jobs, err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("job=./a/b\nboot=x\ncurrent=x\nActiveState=active\nInvocationID=i\n\njob=./a/b\nresult-code=exited\nsizes\n1 ./a/b/log\nwhole\n"))
	f.Fuzz(func(t *testing.T, body []byte) {
		s := read(body)
		for _, dir := range s.dirs {
			if st := s.status(dir); st.State == Done && !bytes.Contains(body, []byte("result-code=exited")) {
				t.Errorf("done without a result in %q", body)
			}
		}
	})
}

// scripts are all texts that run on a host.
func scripts() map[string]string {
	s := Spec{Run: "r", Stage: "file.x", Timeout: time.Minute, MemoryMax: "8G", Steps: []stage.Step{{Title: "a 'b'", Script: "true", Files: []stage.File{{Name: "f"}}}}}
	start, _ := startScript(s, RefOf(s.Run, s.Stage))
	return map[string]string{
		"start": start, "begin": beginScript, "stop": stopScript, "run": runScript(s, RefOf(s.Run, s.Stage)),
		"list": listScript, "follow": script(followScript, "d", "u", "1", "2"), "cancel": script(cancelScript, "d", "u"), "prune": script(pruneScript, "r"),
	}
}

func TestScriptsAreCleanForShellcheck(t *testing.T) {
	if _, err := exec.LookPath("shellcheck"); err != nil {
		t.Skip("shellcheck is not installed")
	}
	for name, text := range scripts() {
		// SC1091: the environment's file is on the host. SC2317: functions and traps.
		cmd := exec.Command("shellcheck", "-s", "sh", "-e", "SC1091,SC2317", "-")
		cmd.Stdin = strings.NewReader(text)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}

// TestRunScript runs real steps under every shell that can be a host's /bin/sh.
func TestRunScript(t *testing.T) {
	for _, shell := range [][]string{{"dash"}, {"bash", "--posix"}, {"busybox", "sh"}} {
		if _, err := exec.LookPath(shell[0]); err != nil {
			t.Run(shell[0], func(t *testing.T) { t.Skip("not installed") })
			continue
		}
		dir := t.TempDir()
		s := Spec{Run: "r", Stage: "x", Env: map[string]string{"A": "1", "B": "it's\n$HOME"}, Steps: []stage.Step{
			{Title: "one\ntwo", Script: `printf '%s|' "$A" "$B" "$HOME" "$LC_ALL" "$(umask)" "$PWD"; cat "$PDPROV_FILES/f"; cd /tmp; A=3`, Env: map[string]string{"A": "2"}, Files: []stage.File{{Name: "f", Data: []byte("data\n")}}},
			{Title: "three", Script: "printf '%s\\n' \"$A\"; false\necho never"},
			{Title: "four", Script: "echo never"},
		}}
		for _, p := range parts(s, Ref{Dir: dir}) {
			path := filepath.Join(dir, p.path)
			os.MkdirAll(filepath.Dir(path), 0o700)
			if err := os.WriteFile(path, p.data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		cmd := exec.Command(shell[0], append(slices.Clone(shell[1:]), filepath.Join(dir, "run.sh"))...)
		out, _ := cmd.CombinedOutput()
		want := "== one two\n2|it's\n$HOME|/root|C|0022|/|data\n== three\n1\n"
		if string(out) != want || cmd.ProcessState.ExitCode() != 1 {
			t.Errorf("%v ended with %d:\n%q\nwant\n%q", shell, cmd.ProcessState.ExitCode(), out, want)
		}
	}
}
