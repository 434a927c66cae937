package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/pdprov/pdprov/cmd/view"
	"github.com/pdprov/pdprov/engine/look"
	"github.com/pdprov/pdprov/engine/plan"
	"github.com/pdprov/pdprov/hcl/model"
	"github.com/pdprov/pdprov/internal/gpu"
	"github.com/pdprov/pdprov/internal/osrelease"
	"github.com/pdprov/pdprov/stages/stage"
)

// factsOptions are the flags of facts.
type factsOptions struct {
	reach
	out string
	all bool
}

const factsLong = `Ask the hosts what a plan would ask and which GPUs they have, and show the system and the
GPUs of each. --all also lists every question and how it was answered. With --out the answers are kept in a folder,
from which plan --facts makes the same plan again. Such a folder may hold what is secret on
the hosts.`

func (a *app) factsCommand() *cobra.Command {
	var o factsOptions
	cmd := &cobra.Command{
		Use: "facts [PATH...]", Short: "Ask the hosts and record their answers", Long: factsLong,
		RunE: a.run(func(ctx context.Context, args []string) (int, error) { return a.facts(ctx, args, o) }),
	}
	f := cmd.Flags()
	o.add(f, a)
	o.addHosts(f)
	f.BoolVar(&o.all, "all", false, "list every question and how it was answered")
	f.StringVar(&o.out, "out", "", "keep the answers in `DIR`")
	return cmd
}

func (a *app) facts(ctx context.Context, paths []string, o factsOptions) (int, error) {
	in, err := a.open(paths, o.reach)
	if err != nil {
		return exitError, err
	}
	seen, err := a.see(ctx, in, o.reach, "", about()...)
	if err != nil {
		return exitError, err
	}
	if o.out != "" {
		if err := look.Record(o.out, in.deployment, in.kinds, seen); err != nil {
			return exitError, err
		}
	}
	hosts := answers(in, o.hosts, seen)
	if a.json {
		err = view.JSON(a.out, view.FactsDocument{FormatVersion: plan.FormatVersion, Hosts: hosts})
	} else if o.out == "" {
		err = view.Facts(a.out, hosts, o.all, a.style(a.out))
	} else {
		err = view.Recorded(a.out, o.out, hosts, a.style(a.out))
	}
	if err != nil {
		return exitError, err
	}
	return complete(hosts), nil
}

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
