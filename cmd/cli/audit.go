package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/pdprov/pdprov/cmd/view"
	"github.com/pdprov/pdprov/engine/plan"
)

// auditOptions are the flags of audit.
type auditOptions struct {
	reach
	ignore []string
}

func (a *app) auditCommand() *cobra.Command {
	var o auditOptions
	cmd := &cobra.Command{
		Use: "audit [PATH...]", Short: "Show what is installed on each host and what drifted from the plan",
		RunE: a.run(func(ctx context.Context, args []string) (int, error) { return a.audit(ctx, args, o) }),
	}
	f := cmd.Flags()
	o.add(f, a)
	o.addHosts(f)
	o.addTargets(f)
	o.addDeep(f)
	f.StringArrayVar(&o.ignore, "ignore", nil, "do not compare this surface `PATH` of any stage; \"dist.*\" is all below dist (repeatable)")
	return cmd
}

func (a *app) audit(ctx context.Context, paths []string, o auditOptions) (int, error) {
	in, err := a.open(paths, o.reach)
	if err != nil {
		return a.refuse(err)
	}
	seen, err := a.see(ctx, in, o.reach, "")
	if err != nil {
		return exitError, err
	}
	options := o.options()
	options.Ignore = o.ignore
	p, diags := plan.Build(in.deployment, in.kinds, seen, options)
	a.diagnostics(diags, in.deployment.Sources)
	if a.json {
		err = view.JSON(a.out, view.AuditDocument(p, diags))
	} else {
		err = view.Audit(a.out, p, a.style(a.out))
	}
	if err != nil || diags.HasErrors() {
		return exitError, err
	}
	return worst(looked(p), differs(p)), nil
}
