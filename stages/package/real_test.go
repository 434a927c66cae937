package packages_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/pdprov/pdprov/internal/posixsh"
	packages "github.com/pdprov/pdprov/stages/package"
	"github.com/pdprov/pdprov/stages/stage"
	"github.com/pdprov/pdprov/stages/stagetest"
)

func TestLookAtThisHost(t *testing.T) {
	version, err := exec.Command("dpkg-query", "-W", "-f=${Version}", "bash").Output()
	if err != nil {
		t.Skipf("needs a dpkg host: %v", err)
	}
	in := stage.Instance{Addr: "package.base", Config: stage.Config{Values: map[string]any{
		"packages": map[string]string{"bash": "*", "pdprov-no-such-package": "*"},
	}}}
	stagetest.EachShell(t, func(t *testing.T, shell []string) {
		if shell[0] == "busybox" {
			t.Skip("busybox brings a dpkg of its own that knows no --print-architecture")
		}
		have := packages.Kind{}.Have(in, stagetest.Look(t, shell, packages.Kind{}.Probes(in)))
		if have["bash"].Text != string(version) || have["bash.state"].Text != "installed" {
			t.Errorf("bash: %+v %+v", have["bash"], have["bash.state"])
		}
		if have["pdprov-no-such-package"].State != stage.None {
			t.Errorf("a package that is not there: %+v", have["pdprov-no-such-package"])
		}
	})
}

// A dpkg-query that breaks in ways seen on real hosts must never read as absent.
func TestBrokenToolIsNotAbsent(t *testing.T) {
	in := stage.Instance{Addr: "package.base", Config: stage.Config{Values: map[string]any{"packages": map[string]string{"jq": "*"}}}}
	for name, body := range map[string]string{
		"killed":          "kill -9 $$",
		"fails":           "echo 'dpkg-query: error: database is locked' >&2; exit 2",
		"fails silently":  "exit 1",
		"wrong exit":      "echo 'dpkg-query: no packages found matching jq' >&2; exit 2",
		"says more":       "echo 'dpkg-query: no packages found matching jq' >&2; echo 'dpkg-query: warning: x' >&2; exit 1",
		"says nothing":    "exit 0",
		"prints garbage":  "echo garbage; exit 0",
		"forges":          "printf 'exit\\t0\\n'; exit 0",
		"forges a miss":   "printf 'err\\tdpkg-query: no packages found matching jq\\n'; exit 0",
		"forges its end":  "printf 'err\\tdpkg-query: no packages found matching jq\\nexit\\t1\\n'; exit 2",
		"another package": "printf 'row\\tjq-data\\tall\\tii \\t1\\n'; exit 0",
	} {
		t.Run(name, func(t *testing.T) {
			bin := t.TempDir()
			tool(t, bin, "dpkg-query", body)
			tool(t, bin, "dpkg", "echo amd64")
			probes := packages.Kind{}.Probes(in)
			for i := range probes {
				probes[i].Script = "PATH=" + posixsh.Quote(bin) + ":$PATH\n" + probes[i].Script
			}
			v := packages.Kind{}.Have(in, stagetest.Look(t, []string{"sh"}, probes))["jq"]
			if v.State != stage.Unknown || v.Reason == "" {
				t.Errorf("%+v", v)
			}
		})
	}
}

func tool(t *testing.T, dir, name, body string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+body+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
}

// functions runs text after apt.sh has been loaded.
func functions(t *testing.T, shell []string, text string) (string, error) {
	t.Helper()
	lib, err := os.ReadFile("apt.sh")
	if err != nil {
		t.Fatal(err)
	}
	return stagetest.Do(t, shell, stage.Step{
		Script: ". \"$PDPROV_FILES/apt.sh\"\n" + text, Files: []stage.File{{Name: "apt.sh", Data: lib}},
	})
}

func TestLockHolderIsNamed(t *testing.T) {
	lock := filepath.Join(t.TempDir(), "lock")
	f, err := os.Create(lock)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	stagetest.EachShell(t, func(t *testing.T, shell []string) {
		text := "lock_wait_seconds=0\nlock_files=" + posixsh.Quote("/nowhere "+lock) + "\nwait_for_locks\n"
		if out, err := functions(t, shell, text); err != nil || out != "" {
			t.Fatalf("a free lock: %v %s", err, out)
		}
		held := syscall.Flock_t{Type: syscall.F_WRLCK}
		if err := syscall.FcntlFlock(f.Fd(), syscall.F_SETLK, &held); err != nil {
			t.Fatal(err)
		}
		out, err := functions(t, shell, text)
		if err == nil || !strings.Contains(out, fmt.Sprintf("waiting: %s is held by package.test (process %d)", lock, os.Getpid())) {
			t.Errorf("a held lock: %v %s", err, out)
		}
		held.Type = syscall.F_UNLCK
		if err := syscall.FcntlFlock(f.Fd(), syscall.F_SETLK, &held); err != nil {
			t.Fatal(err)
		}
	})
}

// The rehearsal is what apt 2.6.1 printed for "install -s tree jq-" where yq needs jq.
const rehearsal = `Reading package lists...
The following packages will be REMOVED:
  jq yq
The following NEW packages will be installed:
  tree
0 upgraded, 1 newly installed, 2 to remove and 132 not upgraded.
Remv yq [3.1.0-3]
Remv jq [1.6-2.1+deb12u1]
Inst tree (2.1.0-1 Debian:12.15/oldstable [amd64])
Conf tree (2.1.0-1 Debian:12.15/oldstable [amd64])`

func TestSideEffectsAreRefused(t *testing.T) {
	cases := []struct{ name, mayRemove, held, mayChange, want string }{
		{"all named", "jq yq", "", "", ""},
		{"named with architecture", "jq:amd64 yq:amd64", "", "", ""},
		{"one not named", "jq", "", "", "apt would also remove yq\n"},
		{"foreign architecture named", "jq yq:i386", "", "", "apt would also remove yq\n"},
		{"held one", "jq yq", "bash tree", "", "apt would also change held tree\n"},
		{"held one, named", "jq yq", "tree", "tree", ""},
	}
	stagetest.EachShell(t, func(t *testing.T, shell []string) {
		for _, c := range cases {
			out, err := functions(t, shell, "dpkg() { echo amd64; }\n"+
				"rehearsal="+posixsh.Quote(rehearsal)+"\nmay_remove="+posixsh.Quote(c.mayRemove)+
				"\nmay_change_held="+posixsh.Quote(c.mayChange)+"\nrefuse_side_effects "+posixsh.Quote(c.held)+"\n")
			if (err != nil) != (c.want != "") || !strings.Contains(out, c.want) {
				t.Errorf("%s: %v %q", c.name, err, out)
			}
		}
	})
}
