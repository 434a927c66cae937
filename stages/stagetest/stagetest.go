// Package stagetest runs the testdata folders of a kind: plan.hcl and recorded
// answers in, want.plan and want.diags out, and around them the properties that
// every kind must keep.
//
// A folder holds
//
//	plan.hcl      hosts and stages, as a user writes them
//	answers/      what the probes said, as `pdprov facts --out` records it
//	want.plan     the plan as text: changes, steps, evidence (make golden writes it)
//	want.diags    what is wrong with plan.hcl on these hosts; no file means nothing
package stagetest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/pdprov/pdprov/engine/plan"
	"github.com/pdprov/pdprov/hcl/model"
	"github.com/pdprov/pdprov/internal/golden"
	"github.com/pdprov/pdprov/stages/stage"
)

// Suite is the set of folders of one kind.
type Suite struct {
	Kind stage.Kind
	Dir  string // every folder in it that holds a plan.hcl is a case
	// Also lists the kinds that plan files of the suite use beside Kind.
	Also stage.Kinds
	// EvidenceOnly says which probes may fail without blocking a stage, because
	// they only tell who made a value. nil means none.
	EvidenceOnly func(probeID string) bool
	// UserText names files of steps ("apply.sh") that hold the user's own sh text,
	// which is not linted.
	UserText map[string]bool
	// shown are the answers that the kind was shown in mangled forms already, since the
	// cases of a suite share most of them; nil remembers none.
	shown map[string]bool
}

// Run runs every folder below dir that holds a plan.hcl.
func Run(t *testing.T, k stage.Kind, dir string) {
	t.Helper()
	Suite{Kind: k, Dir: dir}.Run(t)
}

// Run runs every folder of the suite as a subtest of its name.
func (s Suite) Run(t *testing.T) {
	t.Helper()
	plans, err := filepath.Glob(filepath.Join(s.Dir, "*", "plan.hcl"))
	if err != nil || len(plans) == 0 {
		t.Fatalf("no testdata folder with a plan.hcl below %s (%v)", s.Dir, err)
	}
	s.shown = map[string]bool{}
	for _, p := range plans {
		dir := filepath.Dir(p)
		t.Run(filepath.Base(dir), func(t *testing.T) { s.folder(t, dir) })
	}
}

func (s Suite) kinds() stage.Kinds { return append(stage.Kinds{s.Kind}, s.Also...) }

// folder runs one case.
func (s Suite) folder(t *testing.T, dir string) {
	d, diags := load(t, dir, s.kinds())
	var p *plan.Plan
	if !diags.HasErrors() {
		seen := replay(t, dir, d)
		built, more := plan.Build(d, s.kinds(), seen, plan.Options{})
		p, diags = built, append(diags, more...)
		for _, problem := range s.Problems(d, seen) {
			t.Error(problem)
		}
		s.shellText(t, d, seen)
	}
	checkOrAbsent(t, filepath.Join(dir, "want.diags"), diagText(diags, dir))
	checkOrAbsent(t, filepath.Join(dir, "want.plan"), planText(p))
}

// checkOrAbsent is golden.Check where no text means that there must be no file.
func checkOrAbsent(t *testing.T, path, got string) {
	t.Helper()
	if got != "" {
		golden.Check(t, path, []byte(got))
		return
	}
	if os.Getenv("UPDATE_GOLDEN") == "1" {
		_ = os.Remove(path)
	}
	if want, err := os.ReadFile(path); err == nil {
		t.Errorf("got nothing, %s wants:\n%s", path, want)
	}
}

// each calls do for every stage of the suite's kind on each of its hosts, with all
// dependencies taken as done.
func (s Suite) each(d *model.Deployment, do func(st *model.Stage, in stage.Instance)) {
	for i := range d.Stages {
		for j := range d.Hosts {
			if st := &d.Stages[i]; st.Kind == s.Kind.Name() && plan.RunsOn(st, d.Hosts[j].Name) {
				do(st, d.Instance(st, &d.Hosts[j], nil))
			}
		}
	}
}
