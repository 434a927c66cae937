package stagetest

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdprov/pdprov/engine/plan"
	"github.com/pdprov/pdprov/hcl/model"
	"github.com/pdprov/pdprov/stages/stage"
)

// properties checks what must hold for every kind whatever the case is about.
func (s Suite) properties(t *testing.T, d *model.Deployment, seen map[string]plan.Seen) {
	t.Helper()
	samePlanTwice(t, d, s.kinds(), seen)
	s.each(d, func(st *model.Stage, in stage.Instance) {
		facts := seen[in.Host.Name].Facts
		s.fulfilledWish(t, in, facts)
		for _, p := range s.Kind.Probes(in) {
			if p.ID == "" || len(p.Reads) == 0 {
				t.Errorf("%s: a probe without ID or Reads: %+v", in.Addr, p)
			}
			for name, a := range brokenAnswers() {
				s.brokenProbe(t, st, in, facts, p.ID, name, a)
			}
		}
	})
}

func samePlanTwice(t *testing.T, d *model.Deployment, kinds stage.Kinds, seen map[string]plan.Seen) {
	t.Helper()
	first, _ := plan.Build(d, kinds, seen, plan.Options{})
	for range 5 { // map order shows within a few rounds
		again, _ := plan.Build(d, kinds, seen, plan.Options{})
		if diff := cmp.Diff(planText(first), planText(again)); diff != "" {
			t.Fatalf("the same input gave two plans (-first +again):\n%s", diff)
		}
	}
}

// fulfilledWish: a host that shows exactly what is wanted has nothing to change.
func (s Suite) fulfilledWish(t *testing.T, in stage.Instance, facts stage.Facts) {
	t.Helper()
	want, _ := s.Kind.Want(in, facts)
	for _, path := range want.Paths() {
		v := want[path]
		if v.State == stage.Unknown {
			t.Errorf("%s: wants an unknown value at %s", in.Addr, path)
		}
		if v.State != stage.Deferred && v.State != stage.Anything && !v.Matches(v) {
			t.Errorf("%s: %s = %s does not fulfil itself", in.Addr, path, v)
		}
	}
}

func brokenAnswers() map[string]stage.Answer {
	return map[string]stage.Answer{
		"not asked": {},
		"failed":    {Outcome: stage.Failed, Exit: 1, Detail: "exit 1: the tool is broken"},
		"killed":    {Outcome: stage.Failed, Exit: 137, Detail: "killed by signal 9"},
		"hung":      {Outcome: stage.Hung, Detail: "no answer within 10 s"},
		// A body beside a failure must not be believed.
		"failed with a body": {Outcome: stage.Failed, Exit: 1, Body: facade, Detail: "exit 1"},
	}
}

var facade = []byte("0\n")

// brokenProbe: without one answer a value is as before or Unknown, the wish does not
// shrink, and nothing is done unless the probe is evidence only.
func (s Suite) brokenProbe(t *testing.T, st *model.Stage, in stage.Instance, facts stage.Facts, id, how string, a stage.Answer) {
	t.Helper()
	broken := maps.Clone(facts)
	broken[id] = a
	want, findings := s.Kind.Want(in, facts)
	less, _ := s.Kind.Want(in, broken)
	if !slices.Equal(want.Paths(), less.Paths()) {
		t.Errorf("%s, probe %s %s: the wish changed from %v to %v", in.Addr, id, how, want.Paths(), less.Paths())
	}
	before, after := s.Kind.Have(in, facts), s.Kind.Have(in, broken)
	blocked := hasError(findings)
	for _, path := range want.Paths() {
		v, ok := after[path]
		switch {
		case !ok || v.State == stage.Unknown:
			blocked = true
			if ok && v.Probe != id && before[path].State != stage.Unknown {
				t.Errorf("%s, probe %s %s: %s names the probe %q", in.Addr, id, how, path, v.Probe)
			}
		case v.State != before[path].State || v.Text != before[path].Text:
			t.Errorf("%s, probe %s %s: %s is seen as %s, was %s", in.Addr, id, how, path, v, before[path])
		}
	}
	if evidence := s.EvidenceOnly != nil && s.EvidenceOnly(id); !blocked && !evidence {
		t.Errorf("%s, probe %s %s: no wanted path is unknown", in.Addr, id, how)
	}
	_ = st
}

func hasError(findings []stage.Finding) bool {
	return slices.ContainsFunc(findings, func(f stage.Finding) bool { return f.Severity == stage.Error })
}

func sortedKeys(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }
