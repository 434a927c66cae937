package packages_test

import (
	"os"
	"os/exec"
	"path/filepath"
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
