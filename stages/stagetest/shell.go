package stagetest

import (
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pdprov/pdprov/engine/plan"
	"github.com/pdprov/pdprov/hcl/model"
	"github.com/pdprov/pdprov/stages/stage"
)

// shellText lints every script that the folder's stages hand out.
func (s Suite) shellText(t *testing.T, d *model.Deployment, seen map[string]plan.Seen) {
	t.Helper()
	s.each(d, func(_ *model.Stage, in stage.Instance) {
		for _, p := range s.Kind.Probes(in) {
			Lint(t, "probe "+p.ID, p.Script)
		}
	})
	p, _ := plan.Build(d, s.kinds(), seen, plan.Options{})
	for _, e := range p.Entries {
		steps := e.Work.Steps
		if p := e.Work.Partner; p != nil {
			steps = append(slices.Clone(steps), p.Steps...)
		}
		for _, step := range steps {
			Lint(t, e.Stage+": "+step.Title, "set -eu\n"+step.Script)
			for _, f := range step.Files {
				if strings.HasSuffix(f.Name, ".sh") && !s.UserText[f.Name] {
					Lint(t, e.Stage+": "+f.Name, string(f.Data))
				}
			}
		}
	}
}

// linted remembers scripts that were found good, since cases share most of them.
var linted sync.Map

// Lint runs shellcheck over one script, as sh text, and dash's own parser.
func Lint(t *testing.T, name, script string) {
	t.Helper()
	if _, done := linted.Load(script); done {
		return
	}
	lintWith(t, name, script, "sh", "-n")
	if _, err := exec.LookPath("shellcheck"); err != nil {
		t.Log("shellcheck is not installed: the text was only parsed")
		return
	}
	// Quoted user data may hold "$" and backslashes on purpose (SC2016, SC1003).
	lintWith(t, name, script, "shellcheck", "--shell=sh", "--exclude=SC2016,SC1003", "-")
	if !t.Failed() {
		linted.Store(script, true)
	}
}

func lintWith(t *testing.T, name, script, tool string, args ...string) {
	t.Helper()
	c := exec.Command(tool, args...)
	c.Stdin = strings.NewReader(script)
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("%s: %s: %v\n%s\n%s", name, tool, err, out, script)
	}
}
