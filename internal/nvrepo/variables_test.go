package nvrepo

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pdprov/pdprov/internal/osrelease"
	"github.com/pdprov/pdprov/internal/posixsh"
	"github.com/pdprov/pdprov/stages/stage"
	"github.com/pdprov/pdprov/stages/stagetest"
)

// A source with variables is the same repository where dnf would make its address of it.
func TestVariables(t *testing.T) {
	const wanted = "https://mirror.example/rhel9/x86_64"
	rocky := osrelease.System{IDs: []string{"rocky", "rhel"}, Version: "9.4"}
	record := func(name, data string) string { return fmt.Sprintf("%s %d:%s\n", name, len(data), data) }
	for name, c := range map[string]struct {
		baseurl string
		vars    []string
		want    bool
	}{
		"arch":               {"https://mirror.example/rhel9/$basearch/", []string{"machine", "x86_64"}, true},
		"another arch":       {"https://mirror.example/rhel9/$basearch/", []string{"machine", "aarch64"}, false},
		"braces":             {"https://mirror.example/rhel${releasever}/$arch", []string{"machine", "x86_64"}, true},
		"release":            {"https://mirror.example/rhel$releasever/x86_64", nil, true},
		"major":              {"https://mirror.example/rhel$releasever_major/x86_64", nil, true},
		"pinned release":     {"https://mirror.example/rhel$releasever/x86_64", []string{"var", "releasever=8"}, false},
		"own variable":       {"https://$site/rhel9/x86_64", []string{"var", "site=mirror.example"}, true},
		"unknown variable":   {"https://$site/rhel9/x86_64", nil, false},
		"machine not told":   {"https://mirror.example/rhel9/$basearch", nil, false},
		"other path":         {"https://mirror.example/$releasever/x86_64", nil, false},
		"without a variable": {wanted, nil, true},
	} {
		text := record("file", "/etc/yum.repos.d/a.repo\n[a]\nbaseurl="+c.baseurl+"\n")
		for i := 0; i+1 < len(c.vars); i += 2 {
			text += record(c.vars[i], c.vars[i+1])
		}
		f := stage.Facts{sourcesID: {Outcome: stage.Answered, Body: []byte(text + record("end", ""))}}
		s, unknown, ok := Repository{rpm: true, system: rocky}.sources(f)
		if got := len(others(s.entries, wanted)) == 1; !ok || got != c.want {
			t.Errorf("%s: %v, want %v: %+v %+v", name, got, c.want, s.entries, unknown)
		}
	}
}

// The question tells the architecture and the variables where there is dnf.
func TestVariablesForReal(t *testing.T) {
	stagetest.EachShell(t, func(t *testing.T, shell []string) {
		root := t.TempDir()
		for file, text := range map[string]string{"yum.repos.d/a.repo": "[a]\nbaseurl=http://x/$site\n", "dnf/vars/site": "here\n", "yum/vars/plain": "no newline", "dnf/vars/empty": ""} {
			file = filepath.Join(root, file)
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		p := Probes()[0]
		p.Script = strings.ReplaceAll(p.Script, "/etc/", posixsh.Quote(root)+"/")
		a := stagetest.Look(t, shell, []stage.Probe{p})[p.ID]
		for _, want := range []string{"machine ", ":site=here\n", ":plain=no newline\n"} {
			if !strings.Contains(string(a.Body), want) {
				t.Errorf("%q is not in %q", want, a.Body)
			}
		}
	})
}

// What is written is named for the system that there is, and for both where it is unknown.
func TestWrites(t *testing.T) {
	for text, want := range map[string]string{
		"ID=debian\nVERSION_ID=12\n":                 "[path:/etc/apt/sources.list.d path:" + KeyFile + "]",
		"ID=rocky\nID_LIKE=rhel\nVERSION_ID=\"9.4\"": "[path:/etc/yum.repos.d path:" + RPMKeyFile + "]",
		"": "[path:/etc/apt/sources.list.d path:" + KeyFile + " path:/etc/yum.repos.d path:" + RPMKeyFile + "]",
	} {
		f := stage.Facts{osrelease.ID: {Outcome: stage.Answered, Body: []byte(text)}}
		if got := fmt.Sprint(Writes(f)); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
