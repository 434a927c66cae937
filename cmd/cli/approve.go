package cli

import (
	"context"
	"fmt"
	"slices"

	"github.com/pdprov/pdprov/cmd/view"
	"github.com/pdprov/pdprov/engine/plan"
)

// approve shows the plan and asks.
func (a *app) approve(ctx context.Context, p *plan.Plan, auto bool) (bool, error) {
	out := a.out
	if a.json {
		out = a.err
	}
	if err := view.Plan(out, ours(p), a.style(out)); err != nil {
		return false, err
	}
	if auto || p.Summary.Change == 0 {
		return true, nil
	}
	reply, err := a.answer(ctx, fmt.Sprintf("Apply these changes to %s? Only 'yes' is accepted:", view.ChangedHosts(p)))
	return reply == "yes", err
}

// ours is a plan without the holders of locks, since it is this apply that holds them.
func ours(p *plan.Plan) *plan.Plan {
	shown := *p
	shown.Hosts = slices.Clone(p.Hosts)
	for i := range shown.Hosts {
		shown.Hosts[i].Holder = ""
	}
	return &shown
}
