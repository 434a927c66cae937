package plan

import (
	"sort"

	"github.com/pdprov/pdprov/hcl/model"
)

// Order lists the stages so that each comes after everything that it refers to or
// depends on; where that leaves a choice, in order of declaration. The deployment
// has no cycles: hcl/eval refuses them.
func Order(d *model.Deployment) []*model.Stage {
	byAddr := map[string]*model.Stage{}
	for i := range d.Stages {
		byAddr[d.Stages[i].Addr] = &d.Stages[i]
	}
	var ordered []*model.Stage
	visited := map[string]bool{}
	var visit func(s *model.Stage)
	visit = func(s *model.Stage) {
		if visited[s.Addr] {
			return
		}
		visited[s.Addr] = true
		for _, dep := range Dependencies(s) {
			if n, ok := byAddr[dep]; ok {
				visit(n)
			}
		}
		ordered = append(ordered, s)
	}
	for i := range d.Stages {
		visit(&d.Stages[i])
	}
	return ordered
}

// Dependencies lists the addresses that a stage refers to or depends on, sorted.
func Dependencies(s *model.Stage) []string {
	seen := map[string]bool{}
	var deps []string
	for _, list := range [][]string{s.Refs, s.DependsOn} {
		for _, a := range list {
			if !seen[a] {
				seen[a] = true
				deps = append(deps, a)
			}
		}
	}
	sort.Strings(deps)
	return deps
}

// selected says which stages the targets and everything that they depend on are;
// nil selects all.
func selected(d *model.Deployment, targets []string) map[string]bool {
	if len(targets) == 0 {
		return nil
	}
	chosen := map[string]bool{}
	var add func(addr string)
	add = func(addr string) {
		s, ok := d.Stage(addr)
		if !ok || chosen[addr] {
			return
		}
		chosen[addr] = true
		for _, dep := range Dependencies(s) {
			add(dep)
		}
	}
	for _, t := range targets {
		add(t)
	}
	return chosen
}
