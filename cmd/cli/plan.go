package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/pdprov/pdprov/cmd/view"
	"github.com/pdprov/pdprov/engine/plan"
)

// planOptions are the flags of plan.
type planOptions struct {
	reach
	out      string
	facts    string
	detailed bool
}

func (a *app) planCommand() *cobra.Command {
	var o planOptions
	cmd := &cobra.Command{
		Use: "plan [PATH...]", Short: "Show what would change on which host, and change nothing",
		RunE: a.run(func(ctx context.Context, args []string) (int, error) { return a.plan(ctx, args, o) }),
	}
	f := cmd.Flags()
	o.add(f, a)
	o.addHosts(f)
	o.addTargets(f)
	o.addDeep(f)
	f.StringVar(&o.out, "out", "", "save the plan to a `FILE` that apply takes")
	f.StringVar(&o.facts, "facts", "", "plan from the recording in `DIR` (facts --out) and connect to no host")
	f.BoolVar(&o.detailed, "detailed-exitcode", false, "exit with 2 when changes are pending")
	return cmd
}

func (a *app) plan(ctx context.Context, paths []string, o planOptions) (int, error) {
	in, err := a.open(paths, o.reach)
	if err != nil {
		return a.refuse(err)
	}
	seen, err := a.see(ctx, in, o.reach, o.facts)
	if err != nil {
		return exitError, err
	}
	p, diags := plan.Build(in.deployment, in.kinds, seen, o.options())
	a.diagnostics(diags, in.deployment.Sources)
	if a.json {
		err = view.JSON(a.out, view.PlanDocument(p, diags))
	} else {
		err = view.Plan(a.out, p, a.style(a.out))
	}
	if err == nil && o.out != "" {
		err = a.save(p, in, o)
	}
	if err != nil || diags.HasErrors() {
		return exitError, err
	}
	if o.detailed {
		return worst(looked(p), differs(p)), nil
	}
	return looked(p), nil
}
