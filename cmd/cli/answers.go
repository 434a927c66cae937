package cli

import (
	"github.com/pdprov/pdprov/cmd/view"
	"github.com/pdprov/pdprov/engine/look"
	"github.com/pdprov/pdprov/engine/plan"
	"github.com/pdprov/pdprov/hcl/model"
	"github.com/pdprov/pdprov/internal/gpu"
	"github.com/pdprov/pdprov/internal/osrelease"
	"github.com/pdprov/pdprov/stages/stage"
)

// about are the questions that every host is asked, whatever its stages ask.
func about() []stage.Probe {
	return append([]stage.Probe{osrelease.Probe(), osrelease.KernelProbe()}, gpu.Probes()...)
}

func systemOf(f stage.Facts) stage.Value {
	system, unknown, known := osrelease.Read(f)
	if !known {
		return unknown
	}
	return stage.Is(system.Pretty)
}

// answers puts each question beside its answer.
func answers(in *input, only []string, seen map[string]plan.Seen) []view.HostFacts {
	hosts := []view.HostFacts{}
	for _, h := range plan.Hosts(in.deployment, plan.Options{Hosts: only}) {
		s := seen[h.Name]
		facts := view.HostFacts{Host: plan.Host{Name: h.Name, State: s.State, Error: s.Error}, Answers: []view.Answered{}}
		if s.State == plan.HostOK {
			box := gpu.Read(s.Facts)
			system, kernel := systemOf(s.Facts), osrelease.Kernel(s.Facts)
			facts.System, facts.Kernel, facts.GPU = &system, &kernel, &box
		}
		told := map[string]bool{}
		for _, p := range append(look.Probes(in.deployment, in.kinds, h), about()...) {
			if s.State != plan.HostOK || told[p.ID] {
				continue
			}
			told[p.ID] = true
			x := s.Facts.Get(p.ID)
			facts.Answers = append(facts.Answers, view.Answered{
				Probe: p.ID, Outcome: x.Outcome.String(), Exit: x.Exit, Bytes: len(x.Body), Detail: hide(in.deployment, x.Detail),
			})
		}
		hosts = append(hosts, facts)
	}
	return hosts
}

// hide takes every sensitive value of the plan out of what a probe said.
func hide(d *model.Deployment, text string) string {
	for i := range d.Stages {
		text = d.Hide(d.Stages[i].Addr, text)
	}
	return text
}

// complete is the exit status of a look whose answers may be missing.
func complete(hosts []view.HostFacts) int {
	for _, h := range hosts {
		if h.State != plan.HostOK {
			return exitUnknown
		}
		if h.GPU != nil && len(h.GPU.Unanswered) > 0 {
			return exitUnknown
		}
		for _, x := range h.Answers {
			if x.Outcome != "answered" && x.Outcome != "absent" {
				return exitUnknown
			}
		}
	}
	return exitDone
}
