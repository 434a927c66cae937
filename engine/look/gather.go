package look

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/pdprov/pdprov/engine/manifest"
	"github.com/pdprov/pdprov/engine/plan"
	"github.com/pdprov/pdprov/hcl/model"
	"github.com/pdprov/pdprov/remote"
	"github.com/pdprov/pdprov/remote/lock"
	"github.com/pdprov/pdprov/remote/probe"
	"github.com/pdprov/pdprov/stages/stage"
	"github.com/pdprov/pdprov/systemd/job"
)

// Options of a look.
type Options struct {
	Hosts    []string      // names; empty means all
	Deadline time.Duration // of the look at one host; 0 is probe's default
	Also     []stage.Probe // asked of every host beside what its stages ask
}

// Gather looks at each host once, side by side. A host that cannot be reached or
// does not answer is in the result with the reason.
func Gather(ctx context.Context, f *Fleet, d *model.Deployment, kinds stage.Kinds, o Options) map[string]plan.Seen {
	seen := map[string]plan.Seen{}
	var mu sync.Mutex
	var names []string
	for _, h := range plan.Hosts(d, plan.Options{Hosts: o.Hosts}) {
		names = append(names, h.Name)
	}
	f.Each(names, func(name string) {
		h, _ := d.Host(name)
		s := One(ctx, f, name, append(Probes(d, kinds, h), o.Also...), o.Deadline)
		mu.Lock()
		defer mu.Unlock()
		seen[name] = s
	})
	return seen
}

// One asks probes of one host.
func One(ctx context.Context, f *Fleet, name string, probes []stage.Probe, deadline time.Duration) plan.Seen {
	h, err := f.Host(ctx, name)
	if err != nil {
		return failed(err)
	}
	facts, err := probe.Look(ctx, h, probes, probe.Options{Deadline: deadline})
	if err != nil {
		return failed(err)
	}
	return FromFacts(facts)
}

// failed tells a host that cannot be reached from one that was reached and then lost.
func failed(err error) plan.Seen {
	var c *remote.ConnectError
	if errors.As(err, &c) {
		return plan.Seen{State: plan.HostUnreachable, Error: err.Error()}
	}
	return plan.Seen{State: plan.HostUnknown, Error: err.Error()}
}

// Probes are the questions of every stage of a host, and the engine's own.
func Probes(d *model.Deployment, kinds stage.Kinds, h *model.Host) []stage.Probe {
	probes := Own()
	for i := range d.Stages {
		if st := &d.Stages[i]; plan.RunsOn(st, h.Name) {
			probes = append(probes, OfStage(d, kinds, st, h)...)
		}
	}
	return probes
}

// OfStage are the questions of one stage on one host.
func OfStage(d *model.Deployment, kinds stage.Kinds, st *model.Stage, h *model.Host) []stage.Probe {
	k, ok := kinds.Lookup(st.Kind)
	if !ok {
		return nil
	}
	return k.Probes(d.Instance(st, h, nil))
}

// Own are the questions of the engine itself: what was applied, what runs, who holds the lock.
func Own() []stage.Probe {
	return []stage.Probe{manifest.Probe(), job.Probe(), lock.Probe()}
}

// FromFacts reads the engine's own answers out of facts.
func FromFacts(facts stage.Facts) plan.Seen {
	s := plan.Seen{State: plan.HostOK, Facts: facts}
	var trouble string
	if s.Records, trouble = manifest.Parse(facts); trouble != "" {
		s.Forgetful = true
		s.Warnings = append(s.Warnings, trouble)
	}
	jobs, err := job.Parse(facts.Get(job.Probe().ID))
	if err != nil {
		s.Warnings = append(s.Warnings, err.Error())
	}
	for _, j := range jobs {
		if j.State == job.Running {
			s.Running = append(s.Running, plan.Running{Stage: j.Ref.Stage, Since: j.Since, Owner: j.Owner})
		}
	}
	a := facts.Get(lock.Probe().ID)
	if !a.Looked() {
		s.Warnings = append(s.Warnings, "who holds the lock is unknown: "+a.Unknown(lock.Probe().ID).Reason)
	}
	if holder, held := lock.Parse(a); held {
		s.Holder = holder.String()
	}
	return s
}
