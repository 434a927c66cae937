package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/pdprov/pdprov/cmd/view"
	"github.com/pdprov/pdprov/engine/look"
	"github.com/pdprov/pdprov/engine/plan"
)

// factsOptions are the flags of facts.
type factsOptions struct {
	reach
	out string
	all bool
}

const factsLong = `Ask the hosts what a plan would ask and which GPUs they have, and show the system and the
GPUs of each. --all also lists every question and how it was answered. With --out the
answers are kept in a folder, from which plan --facts makes the same plan again. Such a
folder may hold what is secret on the hosts.`

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
