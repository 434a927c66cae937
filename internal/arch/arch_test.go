// Package arch has no code: its tests keep the borders of the packages.
package arch

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/pdprov/pdprov/"

// pkg is what go list says of a package; only imports of the code itself count, not of tests.
type pkg struct {
	ImportPath string
	Imports    []string
}

func packages(t *testing.T) []pkg {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports", module+"...")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var list []pkg
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		p.ImportPath = strings.TrimPrefix(p.ImportPath, module)
		list = append(list, p)
	}
	if len(list) < 15 {
		t.Fatalf("go list found %d packages only: the borders are not looked at", len(list))
	}
	return list
}

// below are the packages that every kind may use.
var below = []string{
	"stages/stage", "internal/posixsh", "internal/record", "internal/hostfile",
	"internal/osrelease", "internal/commandline", "internal/waiting", "internal/apt", "internal/dnf", "internal/nvrepo", "internal/gpu", "internal/pyenv",
}

// layer of a package; imports go to the same layer or to a lower one.
func layer(path string) (int, bool) {
	switch {
	case slices.Contains(below, path):
		return 0, true
	case path == "systemd/unit":
		return 1, true
	case path == "stages/stagetest" || strings.HasPrefix(path, "internal/") || path == "modules":
		return 0, false // tests and tools stand outside
	case strings.HasPrefix(path, "stages/"):
		return 2, true
	case strings.HasPrefix(path, "remote"):
		return 3, true
	case strings.HasPrefix(path, "systemd"):
		return 4, true
	case strings.HasPrefix(path, "hcl"):
		return 4, true
	case strings.HasPrefix(path, "engine"):
		return 5, true
	case path == "stages":
		return 6, true
	case strings.HasPrefix(path, "cmd"):
		return 7, true
	}
	return 0, false
}

func TestImportsPointOneWay(t *testing.T) {
	for _, p := range packages(t) {
		from, ok := layer(p.ImportPath)
		if !ok {
			continue
		}
		for _, imp := range p.Imports {
			to, ok := layer(strings.TrimPrefix(imp, module))
			if strings.HasPrefix(imp, module) && ok && to > from {
				t.Errorf("%s imports %s: imports point from cmd to engine to hcl, systemd and remote to stages/stage, so that a kind can be read, tested and replayed without a host", p.ImportPath, imp)
			}
		}
	}
}

// TestKindsDoNotTouchKinds keeps a kind in one folder: what two kinds share belongs below them.
func TestKindsDoNotTouchKinds(t *testing.T) {
	for _, p := range packages(t) {
		if l, ok := layer(p.ImportPath); !ok || l != 2 {
			continue
		}
		for _, imp := range p.Imports {
			if to, ok := layer(strings.TrimPrefix(imp, module)); strings.HasPrefix(imp, module) && ok && to == 2 {
				t.Errorf("%s imports %s: a kind is one folder that knows no other kind", p.ImportPath, imp)
			}
		}
	}
}

func TestThinkingIsPure(t *testing.T) {
	forbidden := map[string]string{
		"os": "opens files", "os/exec": "runs programs", "net": "opens connections", "net/http": "opens connections",
		"context": "belongs to effects", "syscall": "has effects",
	}
	for _, p := range packages(t) {
		l, ok := layer(p.ImportPath)
		pure := ok && l <= 2 || p.ImportPath == "engine/plan"
		if !pure {
			continue
		}
		for _, imp := range p.Imports {
			if why, bad := forbidden[imp]; bad {
				t.Errorf("%s imports %s, which %s: a plan is a pure function of configuration and answers", p.ImportPath, imp, why)
			}
		}
	}
}

func TestThinkingReadsNoClock(t *testing.T) {
	out, err := exec.Command("grep", "-rnE", `time\.(Now|Since|Until|Sleep)\(`, "--include=*.go", "../../stages", "../../engine/plan").CombinedOutput()
	var lines []string
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		if line != "" && !strings.Contains(line, "_test.go:") && !strings.Contains(line, "stagetest/") {
			lines = append(lines, line)
		}
	}
	if len(lines) > 0 {
		t.Errorf("a kind or the plan reads a clock, so the same answers would not give the same plan:\n%s", strings.Join(lines, "\n"))
	}
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() > 1) {
		t.Fatalf("grep: %v: %s", err, out)
	}
}

// TestOneHome keeps each third-party package behind one border.
func TestOneHome(t *testing.T) {
	homes := map[string][]string{
		"github.com/melbahja/goph":             {"remote/ssh"},
		"github.com/kevinburke/ssh_config":     {"remote/ssh"},
		"github.com/skeema/knownhosts":         {"remote/ssh"},
		"golang.org/x/crypto":                  {"remote/ssh"},
		"github.com/hashicorp/go-multierror":   {"engine/apply"},
		"github.com/schollz/progressbar":       {"cmd/view"},
		"github.com/spf13/cobra":               {"cmd/cli"},
		"github.com/BurntSushi/toml":           {"stages/venv"},
		"github.com/zclconf/go-cty":            {"hcl/"},
		"github.com/hashicorp/hcl/v2/hclwrite": {"hcl/"},
	}
	for _, p := range packages(t) {
		for _, imp := range p.Imports {
			for dep, allowed := range homes {
				if strings.HasPrefix(imp, dep) && !hasPrefix(p.ImportPath, allowed) && !strings.HasPrefix(p.ImportPath, "internal/") {
					t.Errorf("%s imports %s, whose home is %s", p.ImportPath, imp, strings.Join(allowed, ", "))
				}
			}
		}
	}
}

func hasPrefix(s string, prefixes []string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}
