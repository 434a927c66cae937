package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/pdprov/pdprov/cmd/view"
	"github.com/pdprov/pdprov/engine/apply"
	"github.com/pdprov/pdprov/engine/plan"
)

// applyOptions are the flags of apply.
type applyOptions struct {
	configuration
	connection
	narrowing
	auto     bool
	lockWait time.Duration
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
	o.configuration.add(f)
	o.connection.add(f)
	o.narrowing.add(f)
	jsonFlag(f, &a.json)
	f.BoolVar(&o.auto, "auto-approve", false, "do not ask")
	f.DurationVar(&o.lockWait, "lock-wait", 0, "wait this `DURATION` for a host that another apply holds")
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
	if !o.auto && !isTerminal(a.in) {
		return exitError, errors.New("apply asks before it changes anything, and the standard input is no terminal: give --auto-approve, or apply a saved plan (plan --out)")
	}
	in, err := a.load(paths, o.configuration)
	if err != nil {
		return exitError, err
	}
	if err := o.narrowing.check(in.deployment); err != nil {
		return exitError, err
	}
	return a.carryOut(ctx, in, o, saved)
}

// resume takes from a saved plan how it was made; it was seen and approved.
func (o *applyOptions) resume(saved *plan.Saved) error {
	if len(o.hosts) > 0 || len(o.targets) > 0 {
		return errors.New("a saved plan has its own hosts and stages: leave --limit and --target away, or make another plan")
	}
	o.hosts, o.targets = saved.Source.Options.Hosts, saved.Source.Options.Targets
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
		LinkDeadline: o.timeout, LookDeadline: o.timeout,
		Events:  func(e apply.Event) { a.event(ctx, e) },
		Approve: func(p *plan.Plan) (bool, error) { return a.approve(ctx, p, o.auto) },
	})
	a.progress.Close()
	return a.outcome(ctx, in, summary, err)
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

// approve shows the plan and asks.
func (a *app) approve(ctx context.Context, p *plan.Plan, auto bool) (bool, error) {
	a.progress.Settle()
	out := a.out
	if a.json {
		out = a.err
	}
	for _, e := range p.Entries {
		for _, text := range e.Warnings {
			a.warn(e.Host + " " + e.Stage + ": " + text)
		}
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

// outcome shows how an apply ended, with all failures together, and picks the status.
func (a *app) outcome(ctx context.Context, in *input, s apply.Summary, err error) (int, error) {
	var invalid *apply.InvalidError
	if errors.As(err, &invalid) {
		return exitError, &invalidError{invalid.Diags, in.deployment.Sources}
	}
	if err != nil {
		told := slices.DeleteFunc(failures(err), func(one error) bool { return errors.Is(one, context.Canceled) })
		view.Errors(a.err, told, a.style(a.err))
	}
	if line := view.Outcome(s); line != "" && !a.json {
		fmt.Fprintln(a.out, line)
	}
	switch {
	case s.Failed > 0 || ctx.Err() != nil:
		return exitError, nil
	case s.Unknown > 0 || s.Unreachable > 0:
		return exitUnknown, nil
	case err != nil:
		return exitError, nil
	default:
		return exitDone, nil
	}
}
