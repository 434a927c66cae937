package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/pdprov/pdprov/cmd/view"
	"github.com/pdprov/pdprov/systemd/job"
)

func (a *app) attachCommand() *cobra.Command {
	var o reach
	cmd := &cobra.Command{
		Use: "attach [PATH...]", Short: "Follow the jobs that run on the hosts until they end",
		RunE: a.run(func(ctx context.Context, args []string) (int, error) { return a.attach(ctx, args, o) }),
	}
	o.add(cmd.Flags(), a)
	o.addHosts(cmd.Flags())
	return cmd
}

func (a *app) attach(ctx context.Context, paths []string, o reach) (int, error) {
	in, err := a.openHosts(paths, o)
	if err != nil {
		return exitError, err
	}
	a.unhidden(in)
	ctx, stop := a.interruptible(ctx, "Interrupted. The jobs go on on their hosts.")
	defer stop()
	f := o.fleet(a.terminal, in.deployment)
	defer f.Close()
	found := findJobs(ctx, f, hostNames(in.deployment, o.hosts), func(s job.Status) bool { return s.State == job.Running })
	w := &watch{app: a, f: f, timeout: o.timeout, progress: view.NewProgress(a.err, a.style(a.err), false)}
	defer w.progress.Close()
	w.follow(ctx, found)
	if found.none() && !a.json {
		fmt.Fprintln(a.out, "No job runs.")
	}
	if ctx.Err() != nil {
		return exitError, nil
	}
	return exitDone, errors.Join(append(w.errs, found.err())...)
}
