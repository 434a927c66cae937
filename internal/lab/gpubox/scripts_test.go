package gpubox

import (
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/pdprov/pdprov/internal/lab/deb"
)

// TestScriptsAreSound gives the sh text of all packages to shellcheck.
func TestScriptsAreSound(t *testing.T) {
	if _, err := exec.LookPath("shellcheck"); err != nil {
		t.Skip("shellcheck is not installed")
	}
	key, err := deb.NewKey(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	all, err := repositories("http://lab.example", "6.1.0-1-amd64", key)
	if err != nil {
		t.Fatal(err)
	}
	scripts := map[string]string{} // text to the package that has it first
	for _, r := range all {
		for _, p := range r.Packages {
			for _, f := range p.Files {
				if strings.HasPrefix(f.Text, "#!/bin/sh\n") {
					scripts[f.Text] = p.Name
				}
			}
			for _, text := range p.Scripts {
				scripts["#!/bin/sh\nset -e\n"+text] = p.Name
			}
		}
	}
	if len(scripts) < 20 {
		t.Fatalf("%d scripts only", len(scripts))
	}
	var text strings.Builder
	for s, name := range scripts {
		text.WriteString("\n# of " + name + "\n(\n" + strings.TrimPrefix(s, "#!/bin/sh\n") + ")\n")
	}
	cmd := exec.Command("shellcheck", "-s", "sh", "-")
	cmd.Stdin = strings.NewReader(text.String())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
