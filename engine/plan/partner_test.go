package plan_test

import (
	"strings"
	"testing"

	"github.com/pdprov/pdprov/engine/plan"
	"github.com/pdprov/pdprov/hcl/model"
	"github.com/pdprov/pdprov/stages/stage"
)

// paired is a note whose steps need another host's work.
type paired struct{ note }

func (paired) Name() string { return "paired" }

func (p paired) Work(in stage.Instance, f stage.Facts, changes []stage.Change) (stage.Work, []stage.Finding) {
	w, found := p.note.Work(in, f, changes)
	w.Partner = &stage.Partner{Stage: in.Config.Text("peer"), Steps: w.Steps}
	return w, found
}

func TestPartner(t *testing.T) {
	for name, c := range map[string]struct {
		hosts []string // of the other stage
		want  string   // the partner, or a part of the finding
	}{
		"on another host": {[]string{"b"}, "b"},
		"on two hosts":    {[]string{"b", "c"}, "it is on b, c"},
		"on the same":     {[]string{"a"}, "is on a as well"},
	} {
		d := &model.Deployment{
			Hosts: []model.Host{{Name: "a"}, {Name: "b"}, {Name: "c"}},
			Stages: []model.Stage{
				{Addr: "note.there", Kind: "note", Hosts: c.hosts, Config: stage.Config{Values: map[string]any{"text": "x", "path": "/there"}}},
				{Addr: "paired.here", Kind: "paired", Hosts: []string{"a"}, Refs: []string{"note.there"}, Config: stage.Config{Values: map[string]any{"text": "x", "path": "/here", "peer": "note.there"}}},
			},
		}
		seen := map[string]plan.Seen{}
		for _, h := range d.Hosts {
			seen[h.Name] = plan.Seen{State: plan.HostOK, Facts: stage.Facts{"note note.there": {Outcome: stage.Absent}, "note paired.here": {Outcome: stage.Absent}}}
		}
		p, diags := plan.Build(d, stage.Kinds{note{}, paired{}}, seen, plan.Options{})
		for _, e := range p.Entries {
			if e.Stage != "paired.here" {
				continue
			}
			got := e.Partner
			if diags.HasErrors() {
				got = diags.Error()
			}
			if !strings.Contains(got, c.want) || (e.Action == plan.Blocked) != diags.HasErrors() {
				t.Errorf("%s: %s, %q", name, e.Action, got)
			}
		}
	}
}
