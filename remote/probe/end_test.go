package probe_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdprov/pdprov/remote"
	"github.com/pdprov/pdprov/remote/probe"
	"github.com/pdprov/pdprov/stages/stage"
)

// TestNothingRunsOnAfterALook: what a script leaves behind or what hangs is ended, and
// only what kept its output open costs the answer.
func TestNothingRunsOnAfterALook(t *testing.T) {
	tests := []struct {
		name, script string
		want         stage.Outcome
	}{
		{"ends", "echo hello", stage.Answered},
		{"leaves a process", "sleep 600 >/dev/null 2>&1 & echo hello", stage.Answered},
		{"leaves one that prints", "sleep 600 & echo hello", stage.Hung},
		{"hangs", "sleep 600 & wait", stage.Hung},
		{"ignores TERM", "trap '' TERM; while :; do sleep 600; done", stage.Hung},
	}
	shells(t, func(t *testing.T, h shellHost) {
		mark := fmt.Sprintf("PROBE_MARK=%d-%s", os.Getpid(), h.shell[0])
		t.Setenv("PROBE_MARK", strings.TrimPrefix(mark, "PROBE_MARK="))
		var probes []stage.Probe
		for _, tt := range tests {
			probes = append(probes, stage.Probe{ID: tt.name, Script: tt.script, TimeoutSeconds: 1})
		}
		facts, err := probe.Look(context.Background(), h, probes, probe.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, tt := range tests {
			if a := facts.Get(tt.name); a.Outcome != tt.want {
				t.Errorf("%s: %s %q, want %s", tt.name, a.Outcome, a.Detail, tt.want)
			}
		}
		noneMarked(t, mark)
	})
}

// noneMarked waits until no process but this one has mark in its environment.
func noneMarked(t *testing.T, mark string) {
	t.Helper()
	var left []string
	for range 50 {
		if left = marked(mark); len(left) == 0 {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Errorf("still running:\n%s", strings.Join(left, "\n"))
}

func marked(mark string) (found []string) {
	all, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, path := range all {
		environ, err := os.ReadFile(path)
		if err == nil && slices.Contains(strings.Split(string(environ), "\x00"), mark) {
			line, _ := os.ReadFile(filepath.Dir(path) + "/cmdline")
			found = append(found, fmt.Sprintf("%s %.100q", path, line))
		}
	}
	return found
}

// witness notes how the session ended.
type witness struct {
	shellHost
	errs *[]error
}

func (h witness) Run(ctx context.Context, c remote.Command) (remote.Result, error) {
	res, err := h.shellHost.Run(ctx, c)
	*h.errs = append(*h.errs, err)
	return res, err
}

// TestWhatCannotBeEndedHoldsNothingUp: the session ends by itself and in time, though a
// process lives on that has left the group, or that is stuck in the kernel.
func TestWhatCannotBeEndedHoldsNothingUp(t *testing.T) {
	stuck := freezer(t)
	shells(t, func(t *testing.T, h shellHost) {
		pid := filepath.Join(t.TempDir(), "pid")
		t.Cleanup(func() {
			number, _ := os.ReadFile(pid)
			exec.Command("kill", "-KILL", strings.TrimSpace(string(number))).Run()
		})
		probes := []stage.Probe{
			{ID: "escapes", Script: `setsid sleep 600 & echo $! >"$1"; wait`, Args: []string{pid}, TimeoutSeconds: 1},
			{ID: "good", Script: "echo hello", TimeoutSeconds: 1},
		}
		if stuck != "" {
			probes = append(probes, stage.Probe{
				ID: "stuck", Script: `echo $$ >"$1/cgroup.procs"; echo FROZEN >"$1/freezer.state"`, Args: []string{stuck}, TimeoutSeconds: 1,
			})
		}
		var errs []error
		facts, err := probe.Look(context.Background(), witness{h, &errs}, probes, probe.Options{})
		if err != nil || len(errs) != 1 || errs[0] != nil {
			t.Errorf("%v, sessions ended with %v", err, errs)
		}
		for _, p := range probes {
			want := stage.Hung
			if p.ID == "good" {
				want = stage.Answered
			}
			if a := facts.Get(p.ID); a.Outcome != want {
				t.Errorf("%s: %s %q, want %s", p.ID, a.Outcome, a.Detail, want)
			}
		}
		if stuck != "" {
			if left, _ := os.ReadFile(stuck + "/cgroup.procs"); len(left) == 0 {
				t.Error("nothing was stuck, so nothing was tested")
			}
			os.WriteFile(stuck+"/freezer.state", []byte("THAWED"), 0o600)
		}
	})
}

// freezer makes a control group whose processes, while frozen, are as deaf as one that
// hangs in a driver; "" where the machine has no such groups.
func freezer(t *testing.T) string {
	t.Helper()
	dir := fmt.Sprintf("/sys/fs/cgroup/freezer/pdprov-test-%d", os.Getpid())
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Logf("no process is stuck in the kernel in this run: %v", err)
		return ""
	}
	t.Cleanup(func() {
		os.WriteFile(dir+"/freezer.state", []byte("THAWED"), 0o600)
		for range 50 {
			if os.Remove(dir) == nil {
				return
			}
			time.Sleep(100 * time.Millisecond)
		}
		t.Errorf("%s stays behind", dir)
	})
	return dir
}
