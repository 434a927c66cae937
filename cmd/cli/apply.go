package cli

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/spf13/cobra"

	"github.com/pdprov/pdprov/cmd/view"
	"github.com/pdprov/pdprov/engine/apply"
	"github.com/pdprov/pdprov/engine/plan"
)

// applyOptions are the flags of apply.
type applyOptions struct {
	reach
	auto       bool
	lockWait   time.Duration
	rebootTime time.Duration
}

const applyLong = `Plan, ask, and carry the plan out; or carry out a plan that plan --out saved, without
asking, if it is still what would be done now.

A stage runs as a job on its host, which goes on when pdprov is interrupted or the link
is lost: the next apply finds it and waits for it, and pdprov attach follows it.`

const detached = `Interrupted: no other stage is started. Jobs that run go on on their hosts; follow them
with pdprov attach. Interrupt again to leave at once.`

func (a *app) applyCommand() *cobra.Command {
	var o applyOptions
	cmd := &cobra.Command{
		Use: "apply [PATH...|SAVED-PLAN]", Short: "Bring the hosts to what the plan says", Long: applyLong,
		RunE: a.run(func(ctx context.Context, args []string) (int, error) { return a.apply(ctx, args, o) }),
	}
	f := cmd.Flags()
	o.add(f, a)
	o.addHosts(f)
	o.addTargets(f)
	o.addDeep(f)
	f.BoolVar(&o.auto, "auto-approve", false, "do not ask")
	f.Var(span{&o.lockWait, 0, 7 * 24 * time.Hour}, "lock-wait", "wait this `DURATION` for a host that another apply holds")
	f.Var(span{&o.rebootTime, time.Second, 24 * time.Hour}, "reboot-timeout", "wait this `DURATION` for a host that a stage reboots (default 15m)")
	return cmd
}

func (a *app) apply(ctx context.Context, paths []string, o applyOptions) (int, error) {
	saved, err := savedPlan(paths)
	if err != nil {
		return exitError, err
	}
	if saved != nil {
		if err := o.resume(saved); err != nil {
			return exitError, err
		}
		paths = saved.Source.Paths
	}
	in, err := a.open(paths, o.reach)
	if err != nil {
		return exitError, err
	}
	if !o.auto && !isTerminal(a.in) {
		return exitError, errors.New("apply asks before it changes anything, and the standard input is no terminal: give --auto-approve, or apply a saved plan (plan --out)")
	}
	return a.carryOut(ctx, in, o, saved)
}

// resume takes from a saved plan how it was made; it was seen and approved.
func (o *applyOptions) resume(saved *plan.Saved) error {
	if len(o.hosts) > 0 || len(o.targets) > 0 {
		return errors.New("a saved plan has its own hosts and stages: leave --limit and --target away, or make another plan")
	}
	o.hosts, o.targets = saved.Source.Options.Hosts, saved.Source.Options.Targets
	o.deep = o.deep || saved.Source.Deep
	o.vars = append(saved.Source.Vars, o.vars...)
	o.varFiles = append(saved.Source.VarFiles, o.varFiles...)
	for name, value := range saved.Source.Environ {
		o.environ = append(o.environ, name+"="+value)
	}
	o.auto = true
	return nil
}

func (a *app) carryOut(ctx context.Context, in *input, o applyOptions, saved *plan.Saved) (int, error) {
	a.progress = view.NewProgress(a.err, a.style(a.err), a.live() && !a.json)
	ctx, stop := a.interruptible(ctx, detached)
	defer stop()
	f := o.fleet(a.terminal, in.deployment)
	defer f.Close()
	who := self()
	summary, err := apply.Run(ctx, f, in.deployment, in.kinds, apply.Options{
		Hosts: o.hosts, Targets: o.targets, Saved: saved, LockWait: o.lockWait,
		Owner: who.owner, From: who.from, PID: who.pid,
		LinkDeadline: o.timeout, LookDeadline: o.timeout, RebootDeadline: o.rebootTime,
		Logs:   in.logsCommand(os.Args[0], o.reach),
		Events: func(e apply.Event) { a.event(ctx, e) },
		Approve: func(p *plan.Plan, diags hcl.Diagnostics) (bool, error) {
			a.progress.Settle()
			a.diagnostics(diags, in.deployment.Sources)
			return a.approve(ctx, p, o.auto)
		},
	})
	a.progress.Close()
	return a.outcome(ctx, summary, err)
}

// event tells of one event. A stage that the person no longer waits for did not fail.
func (a *app) event(ctx context.Context, e apply.Event) {
	if ctx.Err() != nil && e.Error == ctx.Err().Error() {
		e.Error = "no longer followed; its job goes on on the host"
	}
	if a.json {
		view.Event(a.out, e)
	} else {
		a.progress.Event(e)
	}
}
