package stagetest

import (
	"fmt"
	"maps"
	"slices"

	"github.com/pdprov/pdprov/engine/plan"
	"github.com/pdprov/pdprov/hcl/model"
	"github.com/pdprov/pdprov/stages/stage"
)

// Problems lists where a deployment and its answers show that the suite's kind breaks
// a property that every kind must keep, whatever the case is about.
func (s Suite) Problems(d *model.Deployment, seen map[string]plan.Seen) []string {
	c := checker{suite: s, d: d, seen: seen}
	c.samePlanTwice()
	s.each(d, func(st *model.Stage, in stage.Instance) {
		c.fulfilledWish(in)
		for _, p := range s.Kind.Probes(in) {
			if p.ID == "" || len(p.Reads) == 0 {
				c.problem("%s: a probe without ID or Reads: %q", in.Addr, p.ID)
			}
			c.hostile(in, p.ID)
			for _, b := range brokenAnswers() {
				c.brokenProbe(st, in, p.ID, b)
			}
		}
	})
	return c.problems
}

type checker struct {
	suite    Suite
	d        *model.Deployment
	seen     map[string]plan.Seen
	problems []string
}

func (c *checker) problem(format string, args ...any) {
	c.problems = append(c.problems, fmt.Sprintf(format, args...))
}

// samePlanTwice: the same input gives the same bytes. Map order shows within a few rounds.
func (c *checker) samePlanTwice() {
	first, _ := plan.Build(c.d, c.suite.kinds(), c.seen, plan.Options{})
	for range 5 {
		again, _ := plan.Build(c.d, c.suite.kinds(), c.seen, plan.Options{})
		if planText(first) != planText(again) {
			c.problem("the same input gave two plans:\n%s\n%s", planText(first), planText(again))
			return
		}
	}
}

// fulfilledWish: a host that shows exactly what is wanted has nothing to change.
func (c *checker) fulfilledWish(in stage.Instance) {
	want, _ := c.suite.Kind.Want(in, c.seen[in.Host.Name].Facts)
	for _, path := range want.Paths() {
		v := want[path]
		if v.State == stage.Unknown {
			c.problem("%s wants an unknown value at %s", in.Addr, path)
		}
		if v.State != stage.Deferred && v.State != stage.Anything && !v.Matches(v) {
			c.problem("%s: %s = %s does not fulfil itself", in.Addr, path, v)
		}
	}
}

type broken struct {
	how    string
	answer stage.Answer
}

// brokenAnswers are the ways in which a probe may not have looked. A body beside a
// failure must not be believed.
func brokenAnswers() []broken {
	return []broken{
		{"not asked", stage.Answer{}},
		{"failed", stage.Answer{Outcome: stage.Failed, Exit: 1, Detail: "exit status 1: the tool is broken"}},
		{"killed", stage.Answer{Outcome: stage.Failed, Exit: 143, Detail: "ended by signal 15"}},
		{"hung", stage.Answer{Outcome: stage.Hung, Detail: "no answer within 10 s"}},
		{"failed with a body", stage.Answer{Outcome: stage.Failed, Exit: 1, Body: []byte("exit 0\n"), Detail: "exit status 1"}},
	}
}

// brokenProbe: without one answer a value is as before or Unknown, the wish does not
// shrink, and nothing is done unless the probe is evidence only.
func (c *checker) brokenProbe(st *model.Stage, in stage.Instance, id string, b broken) {
	k, facts := c.suite.Kind, c.seen[in.Host.Name].Facts
	less := maps.Clone(facts)
	less[id] = b.answer
	where := fmt.Sprintf("%s, probe %s %s", in.Addr, id, b.how)
	want, _ := k.Want(in, facts)
	w, findings := k.Want(in, less)
	if !slices.Equal(want.Paths(), w.Paths()) {
		c.problem("%s: the wish changed from %v to %v", where, want.Paths(), w.Paths())
	}
	before, after := k.Have(in, facts), k.Have(in, less)
	blocked := slices.ContainsFunc(findings, func(f stage.Finding) bool { return f.Severity == stage.Error })
	for _, path := range want.Paths() {
		v, ok := after[path]
		switch {
		case !ok || v.State == stage.Unknown:
			blocked = true
			if ok && v.Probe != id && before[path].State != stage.Unknown {
				c.problem("%s: the evidence of %s names the probe %q", where, path, v.Probe)
			}
		case v.State != before[path].State || v.Text != before[path].Text:
			c.problem("%s: %s is seen as %s, was %s", where, path, v, before[path])
		}
	}
	switch {
	case blocked:
		c.noSteps(st, in, id, b, where)
	case c.suite.EvidenceOnly == nil || !c.suite.EvidenceOnly(id):
		c.problem("%s: no wanted path is unknown", where)
	}
}

// noSteps: the plan does nothing for a stage that could not be looked at.
func (c *checker) noSteps(st *model.Stage, in stage.Instance, id string, b broken, where string) {
	sn := c.seen[in.Host.Name]
	sn.Facts = maps.Clone(sn.Facts)
	sn.Facts[id] = b.answer
	seen := maps.Clone(c.seen)
	seen[in.Host.Name] = sn
	p, _ := plan.Build(c.d, c.suite.kinds(), seen, plan.Options{})
	for _, e := range p.Entries {
		if e.Host == in.Host.Name && e.Stage == st.Addr && (e.Action != plan.Blocked || len(e.Work.Steps) > 0) {
			c.problem("%s: action %s with %d steps", where, e.Action, len(e.Work.Steps))
		}
	}
}

func sortedKeys(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }
