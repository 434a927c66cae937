package apply

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/pdprov/pdprov/engine/look"
	"github.com/pdprov/pdprov/engine/plan"
	"github.com/pdprov/pdprov/hcl/model"
	"github.com/pdprov/pdprov/internal/posixsh"
	"github.com/pdprov/pdprov/remote"
	"github.com/pdprov/pdprov/stages/stage"
	"github.com/pdprov/pdprov/systemd/job"
)

// errUnknown marks an outcome that the host could not tell.
var errUnknown = errors.New("the outcome is unknown")

// aged is how old a look may be before an entry is looked at again.
const aged = time.Minute

// stage carries one entry out and proves it.
func (r *runner) stage(ctx context.Context, n *node) (outcome, error) {
	e, err := r.ready(ctx, n)
	if err != nil {
		return failed, err
	}
	if e.Action == plan.None {
		n.host.keep(r.record(e))
		return inSync, nil
	}
	started := time.Now()
	n.host.worked.Store(true)
	r.emit(Event{Type: StageStarted, Host: e.Host, Stage: e.Stage, Message: paths(e)})
	reboots := e.Work.Impact == stage.Reboot
	if len(e.Work.Steps) > 0 || !reboots {
		if err := r.job(ctx, n.host, e); err != nil {
			return failed, err
		}
	}
	if reboots {
		if err := r.reboot(ctx, n.host, e); err != nil {
			return failed, err
		}
	}
	looks := 1
	if reboots {
		looks = bootLooks
	}
	return r.prove(ctx, n, looks, started)
}

// bootLooks is how often a host that has just booted is asked before what it did not answer
// is unknown: without nvidia-persistenced the first nvidia-smi starts every GPU.
const bootLooks = 3

// terms is how often a stage may find that the lock was lost while it looked.
const terms = 5

// ready is the entry as it is in this term of the lock, and no harder than it was shown.
func (r *runner) ready(ctx context.Context, n *node) (plan.Entry, error) {
	for range terms {
		before, err := r.ours(ctx, n.host)
		if err != nil {
			return n.e, err
		}
		e := n.e
		if e.Certainty != plan.Certain || before > 0 || time.Since(n.host.at) > aged {
			if e, err = r.again(ctx, n); err != nil {
				return e, err
			}
		}
		switch after, err := r.ours(ctx, n.host); {
		case err != nil:
			return e, err
		case after != before:
			continue // what was seen is another's time
		case e.Exceeds(n.e):
			return e, fmt.Errorf("it would now mean a %s, which the plan did not show (%s); nothing was done, plan again", e.ImpactText(), n.e.ImpactText())
		}
		return e, nil
	}
	return n.e, fmt.Errorf("%w: the host's lock was lost %d times while it was looked at, and nothing was started", errUnknown, terms)
}

// prove looks again: a stage that is not in sync after its steps has failed.
func (r *runner) prove(ctx context.Context, n *node, looks int, started time.Time) (outcome, error) {
	e, err := r.again(ctx, n)
	for ; looks > 1 && e.Action == plan.Blocked && ctx.Err() == nil; looks-- {
		e, err = r.again(ctx, n)
	}
	if err != nil {
		return unknown, err
	}
	if e.Action != plan.None {
		return failed, fmt.Errorf("did not converge: its steps ended well, but %s", differences(e))
	}
	n.host.keep(r.record(e))
	if err := r.write(ctx, n.host); err != nil {
		return failed, fmt.Errorf("it is in sync, but its record was not kept on the host: %w", err)
	}
	r.emit(Event{Type: StageDone, Host: e.Host, Stage: e.Stage, Message: time.Since(started).Round(100 * time.Millisecond).String()})
	return done, nil
}

// again looks at one stage. A blocked entry is an error: it is unknown.
func (r *runner) again(ctx context.Context, n *node) (plan.Entry, error) {
	st, h := r.find(n)
	var seen plan.Seen
	err := r.persist(ctx, n.host, "looking at "+st.Addr, func() error {
		seen = look.One(ctx, r.f, h.Name, look.OfStage(r.d, r.kinds, st, h), r.o.LookDeadline)
		if seen.State != plan.HostOK {
			return &remote.TransportError{Host: h.Name, Op: "looking at " + st.Addr, Err: errors.New(seen.Error)}
		}
		return nil
	})
	if err != nil {
		return plan.Entry{}, err
	}
	seen.Records, seen.Forgetful = n.host.seen.Records, n.host.seen.Forgetful
	e, diags := plan.Again(r.d, r.kinds, st, h, seen)
	if diags.HasErrors() {
		return e, diags.Errs()[0]
	}
	if e.Action == plan.Blocked {
		return e, fmt.Errorf("%w: %s", errUnknown, evidence(e))
	}
	return e, nil
}

func (r *runner) find(n *node) (*model.Stage, *model.Host) {
	st, _ := r.d.Stage(n.e.Stage)
	h, _ := r.d.Host(n.e.Host)
	return st, h
}

// job runs the entry's steps as one job on the host and follows it to its end.
func (r *runner) job(ctx context.Context, h *hostRun, e plan.Entry) error {
	host, err := r.f.Host(ctx, h.name)
	if err != nil {
		return err
	}
	mh, _ := r.d.Host(h.name)
	timeout := time.Duration(e.Work.TimeoutSeconds) * time.Second
	if timeout <= 0 {
		timeout = time.Hour
	}
	env, partner, err := r.partner(ctx, e, mh.Environment)
	if err != nil {
		return err
	}
	defer partner.end()
	ref, err := r.start(ctx, h, host, job.Spec{
		Run: r.id, Stage: e.Stage, Owner: r.o.Owner + "@" + r.o.From,
		Steps: e.Work.Steps, Env: env, Timeout: timeout,
	})
	if err != nil {
		return err
	}
	log := newTail(r.hide(e.Stage))
	status, err := r.follow(ctx, h, host, ref, log)
	var gone *job.GoneError
	switch {
	case errors.As(err, &gone):
		return fmt.Errorf("%w: %w", errUnknown, err)
	case err != nil:
		return err
	case status.Result.Lost():
		return fmt.Errorf("%w: its job %s%s", errUnknown, status.Result.Describe(), log)
	case !status.Result.OK():
		return fmt.Errorf("%s%s\nthe whole log: %s/log on the host%s%s",
			status.Result.Describe(), log, ref.Dir, r.logs(h.name, e.Stage), partner.end())
	}
	return nil
}

// logs is the command that prints the whole log of a job, on a line of its own.
func (r *runner) logs(host, addr string) string {
	if r.o.Logs == "" {
		return ""
	}
	return ", or\n  " + r.o.Logs + " " + posixsh.Words("--host", host, "--stage", addr)
}

// start starts the job, or finds it when the link was lost in between: whether the
// host got the order is then for the host to say.
func (r *runner) start(ctx context.Context, h *hostRun, host remote.Host, s job.Spec) (ref job.Ref, err error) {
	asked := false
	err = r.persist(ctx, h, "starting "+s.Stage, func() error {
		if asked {
			jobs, err := job.Find(ctx, host)
			if err != nil {
				return err
			}
			for _, j := range jobs {
				if j.Ref.Run == s.Run && j.Ref.Stage == s.Stage {
					ref = j.Ref
					return nil
				}
			}
		}
		asked = true
		var err error
		ref, err = job.Start(ctx, host, s)
		return err
	})
	return ref, err
}

// follow reads the job's log to its end and passes it on line by line.
func (r *runner) follow(ctx context.Context, h *hostRun, host remote.Host, ref job.Ref, log *tail) (job.Status, error) {
	return job.Follow(ctx, host, ref, 0, func(chunk []byte, offset int64) {
		for _, line := range log.add(chunk) {
			r.emit(Event{Type: StageLog, Host: h.name, Stage: ref.Stage, Message: line, Offset: offset})
		}
	}, job.FollowOptions{
		Deadline: r.o.LinkDeadline,
		OnLost: func(err error) {
			r.emit(Event{Type: LinkLost, Host: h.name, Stage: ref.Stage, Error: err.Error()})
		},
		OnBack: func(offset int64) {
			r.emit(Event{Type: LinkBack, Host: h.name, Stage: ref.Stage, Offset: offset})
		},
	})
}

// persist tries fn again while the link is down, until the link deadline. Another host
// key or the person's interrupt is not mended by waiting.
func (r *runner) persist(ctx context.Context, h *hostRun, op string, fn func() error) error {
	var since time.Time
	for pause := 500 * time.Millisecond; ; pause = min(2*pause, 5*time.Second) {
		err := fn()
		var refused *remote.ConnectError
		if err == nil || !remote.IsUnknown(err) || ctx.Err() != nil || errors.As(err, &refused) && refused.Reason == remote.HostKeyChanged {
			return err
		}
		if since.IsZero() {
			since = time.Now()
			r.emit(Event{Type: LinkLost, Host: h.name, Message: op, Error: err.Error()})
		}
		if time.Since(since) > r.o.LinkDeadline {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause):
		}
	}
}

// paths lists what an entry changes, for the event.
func paths(e plan.Entry) string {
	var names []string
	for _, c := range e.Changes {
		names = append(names, c.Path)
	}
	return strings.Join(names, ", ")
}

// differences says what is still not as wanted.
func differences(e plan.Entry) string {
	var parts []string
	for _, c := range e.Changes {
		parts = append(parts, fmt.Sprintf("%s is %q, wanted %q", c.Path, c.Old, c.New))
	}
	return strings.Join(parts, "; ")
}
