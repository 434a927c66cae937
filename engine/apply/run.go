// Package apply carries a plan out: it holds each host's lock, runs each stage as a
// job on the host, looks again to prove that the stage is in sync, and lets the
// host remember what was applied.
package apply

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/go-multierror"
	"github.com/hashicorp/hcl/v2"

	"github.com/pdprov/pdprov/engine/look"
	"github.com/pdprov/pdprov/engine/plan"
	"github.com/pdprov/pdprov/hcl/model"
	"github.com/pdprov/pdprov/stages/stage"
)

// Options of an apply.
type Options struct {
	Hosts, Targets []string
	// Approve is asked once, with every plan, also one without changes, and with what is
	// wrong with single stages in the light of the facts; nil approves.
	Approve func(*plan.Plan, hcl.Diagnostics) (bool, error)
	// Saved, when set, must be what the plan made now says.
	Saved    *plan.Saved
	LockWait time.Duration // 0 refuses at once when another holds a host's lock
	Owner    string        // who applies: "alice"
	From     string        // on which machine
	PID      int
	Events   func(Event) // called by one goroutine at a time; nil drops events
	// LinkDeadline ends the wait for a host that fell silent; 0 means 2 minutes.
	LinkDeadline time.Duration
	LookDeadline time.Duration
	// Logs is the command line that lists the jobs of these hosts, for people to paste:
	// with --host and --stage behind it, it prints the log of one. "" is not shown.
	Logs string
	// RebootDeadline is how long a host may take until it is back; 0 means 15 minutes.
	RebootDeadline time.Duration
}

// ErrDeclined says that the person did not approve.
var ErrDeclined = errors.New("not approved: nothing was changed")

// StaleError says that a saved plan is not what would be done now.
type StaleError struct{ Differences []string }

func (e *StaleError) Error() string {
	return "the saved plan is stale, nothing was changed; make a new plan\n  " + strings.Join(e.Differences, "\n  ")
}

// runner is one apply.
type runner struct {
	f     *look.Fleet
	d     *model.Deployment
	kinds stage.Kinds
	o     Options
	id    string

	mu       sync.Mutex // guards what follows, and orders events
	summary  Summary
	failures *multierror.Error
	hosts    map[string]*hostRun
}

// Run looks, plans, asks and carries out. The error holds every failure; the
// summary is right in any case.
func Run(ctx context.Context, f *look.Fleet, d *model.Deployment, kinds stage.Kinds, o Options) (Summary, error) {
	if o.LinkDeadline <= 0 {
		o.LinkDeadline = 2 * time.Minute
	}
	if o.RebootDeadline <= 0 {
		o.RebootDeadline = 15 * time.Minute
	}
	r := &runner{f: f, d: d, kinds: kinds, o: o, id: newRun(), hosts: map[string]*hostRun{}}
	defer r.release()
	r.prepare(ctx)
	p, err := r.plan(ctx)
	if err == nil {
		r.execute(ctx, p)
		r.remember(ctx)
	} else {
		r.fail("", "", err)
	}
	s := r.summary
	r.emit(Event{Type: Finished, Summary: &s})
	return s, r.failures.ErrorOrNil()
}

// plan looks at the hosts that are ours now, and has the plan approved.
func (r *runner) plan(ctx context.Context) (*plan.Plan, error) {
	p, diags := plan.Build(r.d, r.kinds, r.look(ctx), plan.Options{Hosts: r.o.Hosts, Targets: r.o.Targets})
	if r.o.Saved != nil {
		if diff := r.o.Saved.Differences(p); len(diff) > 0 {
			return nil, &StaleError{diff}
		}
	}
	if r.o.Approve != nil {
		if ok, err := r.o.Approve(p, diags); err != nil || !ok {
			return nil, errors.Join(err, declined(ok))
		}
	}
	return p, nil
}

func declined(ok bool) error {
	if ok {
		return nil
	}
	return ErrDeclined
}

// look gathers from the hosts that could be prepared; the others keep their reason.
func (r *runner) look(ctx context.Context) map[string]plan.Seen {
	seen := map[string]plan.Seen{}
	var ready []string
	for name, h := range r.hosts {
		if h.err == nil {
			ready = append(ready, name)
		} else {
			seen[name] = h.failed()
		}
	}
	sort.Strings(ready)
	if len(ready) == 0 {
		return seen
	}
	for name, s := range look.Gather(ctx, r.f, r.d, r.kinds, look.Options{Hosts: ready, Deadline: r.o.LookDeadline}) {
		r.hosts[name].seen, r.hosts[name].at = s, time.Now()
		seen[name] = s
		if s.State != plan.HostOK {
			r.unreachable(name, errors.New(s.Error))
		}
	}
	return seen
}

func (r *runner) emit(e Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.emitLocked(e)
}

func (r *runner) emitLocked(e Event) {
	if r.o.Events != nil {
		e.Time = time.Now()
		r.o.Events(e)
	}
}

// fail keeps an error with the host and stage that it belongs to.
func (r *runner) fail(host, addr string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if where := strings.TrimSpace(host + " " + addr); where != "" && !strings.HasPrefix(err.Error(), host+":") {
		err = &stageError{where, err}
	}
	r.failures = multierror.Append(r.failures, err)
}

// stageError says which stage an error belongs to.
type stageError struct {
	where string
	err   error
}

func (e *stageError) Error() string { return e.where + ": " + e.err.Error() }
func (e *stageError) Unwrap() error { return e.err }

// newRun makes the id of an apply: readable, sorted by time, not guessable.
func newRun() string {
	random := make([]byte, 3)
	rand.Read(random)
	return time.Now().UTC().Format("20060102-150405-") + hex.EncodeToString(random)
}
