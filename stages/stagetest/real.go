package stagetest

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pdprov/pdprov/stages/stage"
)

// EachShell runs do as a subtest under every POSIX shell that this machine has; the
// shell is the start of a command line. Those that are missing are skipped by name.
func EachShell(t *testing.T, do func(t *testing.T, shell []string)) {
	t.Helper()
	for _, shell := range [][]string{{"dash"}, {"bash", "--posix"}, {"busybox", "sh"}} {
		t.Run(shell[0], func(t *testing.T) {
			if _, err := exec.LookPath(shell[0]); err != nil {
				t.Skip(shell[0] + " is not installed")
			}
			do(t, shell)
		})
	}
}

// Look asks this machine a kind's probes for real, merged as a batch merges them, one
// after the other. Probes of a kind change nothing, so that is harmless.
func Look(t *testing.T, shell []string, probes []stage.Probe) stage.Facts {
	t.Helper()
	facts := stage.Facts{}
	for len(probes) > 0 {
		first := probes[0]
		var args []string
		group := slices.DeleteFunc(slices.Clone(probes), func(p stage.Probe) bool {
			return p.ID != first.ID && !(first.Merge && p.Merge && p.Script == first.Script)
		})
		for _, p := range group {
			args = append(args, p.Args...)
		}
		a := ask(t, shell, first, args)
		for _, p := range group {
			facts[p.ID] = a
		}
		probes = slices.DeleteFunc(slices.Clone(probes), func(p stage.Probe) bool { _, done := facts[p.ID]; return done })
	}
	return facts
}

func ask(t *testing.T, shell []string, p stage.Probe, args []string) stage.Answer {
	t.Helper()
	c := command(shell, append([]string{"-c", p.Script, "sh"}, args...)...)
	for name, value := range p.Env {
		c.Env = append(c.Env, name+"="+value)
	}
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	a := stage.Answer{Outcome: stage.Answered, Body: nil}
	var exit *exec.ExitError
	if err := c.Run(); errors.As(err, &exit) {
		a.Outcome, a.Exit, a.Detail = stage.Failed, exit.ExitCode(), strings.TrimSpace(errs.String())
		if a.Exit == stage.AbsentExit {
			a.Outcome = stage.Absent
		}
	} else if err != nil {
		t.Fatal(err)
	}
	a.Body = out.Bytes()
	return a
}

// Do carries a step out on this machine, as a job would: only for steps that touch
// nothing outside the test, or with a shell that starts in namespaces of its own
// ({"unshare", "--mount", "dash"}). It returns what the step printed.
func Do(t *testing.T, shell []string, s stage.Step) (string, error) {
	t.Helper()
	files := t.TempDir()
	for _, f := range s.Files {
		if err := os.WriteFile(filepath.Join(files, f.Name), f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	script := filepath.Join(t.TempDir(), "step.sh")
	if err := os.WriteFile(script, []byte("set -eu\n"+s.Script), 0o600); err != nil {
		t.Fatal(err)
	}
	c := command(shell, script)
	c.Env = append(c.Env, "HOME=/root", "PDPROV_FILES="+files)
	for name, value := range s.Env {
		c.Env = append(c.Env, name+"="+value)
	}
	out, err := c.CombinedOutput()
	return string(out), err
}

// command is a shell's command line in a folder and an environment of its own.
func command(shell []string, args ...string) *exec.Cmd {
	c := exec.Command(shell[0], append(slices.Clone(shell[1:]), args...)...)
	c.Dir = "/"
	c.Env = []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:" + os.Getenv("PDPROV_TEST_TOOLS"), "LC_ALL=C"}
	return c
}
