package model

import "github.com/pdprov/pdprov/stages/stage"

// Instance is a stage as its kind sees it on a host. pending holds the dependencies
// that a plan changes there.
func (d *Deployment) Instance(st *Stage, h *Host, pending map[string]bool) stage.Instance {
	in := stage.Instance{
		Addr:   st.Addr,
		Host:   stage.Host{Name: h.Name, Address: h.Address, Labels: h.Labels, Environment: h.Environment},
		Config: st.Config, Refs: map[string]stage.Referred{}, Pending: pending, Ignore: st.Ignore, Deep: d.Deep,
	}
	d.refer(in.Refs, st)
	return in
}

// refer adds the stages that a stage refers to, near and far. There are no cycles.
func (d *Deployment) refer(refs map[string]stage.Referred, st *Stage) {
	for _, addr := range st.Refs {
		if r, ok := d.Stage(addr); ok {
			refs[addr] = stage.Referred{Kind: r.Kind, Config: r.Config}
			d.refer(refs, r)
		}
	}
}
