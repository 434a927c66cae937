package apply

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pdprov/pdprov/engine/manifest"
	"github.com/pdprov/pdprov/engine/plan"
	"github.com/pdprov/pdprov/remote"
	"github.com/pdprov/pdprov/remote/lock"
	"github.com/pdprov/pdprov/systemd/job"
)

// hostRun is one host during one apply.
type hostRun struct {
	name string
	err  error // why the host takes no part
	seen plan.Seen
	at   time.Time // of the look

	worked atomic.Bool // a job was run

	lockMu sync.Mutex
	lock   *lock.Lock
	term   int // grows when the lock was lost and taken again: another may have changed the host

	// share is held by each entry that does something on the host, whole by one that
	// reboots it; it guards adrift, which says that the host may be about to go down.
	share  sync.RWMutex
	adrift bool

	mu        sync.Mutex
	remember  []manifest.Record
	resources map[string]*sync.Mutex
}

// failed is the host's state in the plan when it takes no part.
func (h *hostRun) failed() plan.Seen {
	var c *remote.ConnectError
	if errors.As(h.err, &c) {
		return plan.Seen{State: plan.HostUnreachable, Error: h.err.Error()}
	}
	return plan.Seen{State: plan.HostUnknown, Error: h.err.Error()}
}

// prepare connects to every host, takes its lock, and sees running jobs to their end.
func (r *runner) prepare(ctx context.Context) {
	var names []string
	for _, h := range plan.Hosts(r.d, plan.Options{Hosts: r.o.Hosts}) {
		names = append(names, h.Name)
		r.hosts[h.Name] = &hostRun{name: h.Name, resources: map[string]*sync.Mutex{}}
	}
	r.f.Each(names, func(name string) {
		h := r.hosts[name]
		if h.err = r.open(ctx, h); h.err != nil {
			r.unreachable(name, h.err)
		}
	})
}

// unreachable counts a host that takes no part. One that is held by another is a
// failure; one that cannot be reached or fell silent is not.
func (r *runner) unreachable(name string, err error) {
	r.mu.Lock()
	if remote.IsUnknown(err) || r.hosts[name].err == nil {
		r.summary.Unreachable++
	} else {
		r.summary.Failed++
	}
	r.emitLocked(Event{Type: HostFailed, Host: name, Error: err.Error()})
	r.mu.Unlock()
	r.fail(name, "", err)
}

func (r *runner) open(ctx context.Context, h *hostRun) error {
	host, err := r.f.Host(ctx, h.name)
	if err != nil {
		return err
	}
	r.emit(Event{Type: HostConnected, Host: h.name})
	if err := job.Able(ctx, host); err != nil {
		return err
	}
	h.lock, err = lock.Acquire(ctx, host, r.holder(), lock.Options{
		Wait: r.o.LockWait,
		OnWait: func(by lock.Holder) {
			r.emit(Event{Type: LockWaiting, Host: h.name, Message: by.String()})
		},
	})
	if err != nil {
		return err
	}
	r.emit(Event{Type: LockTaken, Host: h.name})
	return r.attach(ctx, h, host)
}

func (r *runner) holder() lock.Holder {
	return lock.Holder{Owner: r.o.Owner, From: r.o.From, PID: r.o.PID, Doing: "apply", Run: r.id}
}

// attach follows the jobs of earlier applies to their end. How they end is for the
// plan to see; only silence of the host is an error here.
func (r *runner) attach(ctx context.Context, h *hostRun, host remote.Host) error {
	jobs, err := job.Find(ctx, host)
	if err != nil {
		return err
	}
	for _, j := range jobs {
		if j.State != job.Running {
			continue
		}
		r.emit(Event{Type: JobAttached, Host: h.name, Stage: j.Ref.Stage, Message: "started by " + j.Owner + " at " + j.Since})
		if _, err := r.follow(ctx, h, host, j.Ref, newTail(r.hide(j.Ref.Stage))); err != nil {
			return err
		}
	}
	return nil
}

// ours makes sure that the lock is held, and takes it again after a lost link. A look is
// worth nothing in another term than its own, the first of which is 0.
func (r *runner) ours(ctx context.Context, h *hostRun) (term int, err error) {
	h.lockMu.Lock()
	defer h.lockMu.Unlock()
	select {
	case <-h.lock.Lost():
	default:
		return h.term, nil
	}
	h.term++
	err = h.lock.Reacquire(ctx)
	var broken *lock.BrokenError
	if err != nil && !errors.As(err, &broken) {
		err = fmt.Errorf("the host's lock was lost with the link and could not be taken again: %w", err)
	}
	return h.term, err
}

func (r *runner) release() {
	for _, h := range r.hosts {
		if h.lock != nil {
			h.lock.Release()
		}
	}
}

// keptRuns is how many runs with their logs stay on a host.
const keptRuns = 20

// remember lets each host keep the records of what is in sync now, and tidies up where
// something was done.
func (r *runner) remember(ctx context.Context) {
	for _, h := range r.hosts {
		if h.adrift {
			continue // what it should remember is found in sync again by the next apply
		}
		if len(h.remember) > 0 {
			if err := r.write(ctx, h); err != nil {
				r.fail(h.name, "", fmt.Errorf("the stages are in sync, but their record was not kept: %w", err))
			}
		}
		if h.worked.Load() {
			if err := r.prune(ctx, h); err != nil {
				r.fail(h.name, "", fmt.Errorf("logs of old runs were not removed: %w", err))
			}
		}
	}
}

// prune tidies up once: a host that cannot be reached now is tidied by the next apply.
func (r *runner) prune(ctx context.Context, h *hostRun) error {
	if ctx.Err() != nil {
		return nil
	}
	host, err := r.f.Host(ctx, h.name)
	if err == nil {
		err = job.Prune(ctx, host, keptRuns)
	}
	if remote.IsUnknown(err) {
		return nil
	}
	return err
}

// write sends the host's records; those that it did not get are kept for another try.
func (r *runner) write(ctx context.Context, h *hostRun) error {
	h.mu.Lock()
	records := h.remember
	h.remember = nil
	h.mu.Unlock()
	err := r.persist(ctx, h, "keeping what was applied", func() error {
		if _, err := r.ours(ctx, h); err != nil {
			return err
		}
		host, err := r.f.Host(ctx, h.name)
		if err != nil {
			return err
		}
		return manifest.Write(ctx, host, records)
	})
	if err != nil {
		h.mu.Lock()
		h.remember = append(records, h.remember...)
		h.mu.Unlock()
	}
	return err
}

// hide takes a stage's sensitive values out of what its job prints.
func (r *runner) hide(addr string) func(string) string {
	return func(line string) string { return r.d.Hide(addr, line) }
}
