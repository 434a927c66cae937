package boot

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/pdprov/pdprov/remote"
)

const (
	firstPause = 500 * time.Millisecond
	lastPause  = 5 * time.Second
	// settleLimit is how long a new boot may go on starting services before it counts
	// as up: one that never ends its start takes jobs all the same.
	settleLimit = 2 * time.Minute
)

// Reboot reboots a host that is in the boot id, and returns when another boot of it is up
// and takes jobs. A *RefusedError says that nothing was begun. A *NotBackError, or that of
// a changed host key, leaves open what became of the host.
func Reboot(ctx context.Context, h remote.Host, id string, deadline time.Duration) error {
	w := waiter{h: h, old: id, start: time.Now(), deadline: deadline}
	w.heard = w.start
	for pause := firstPause; ; pause = min(pause*3/2, lastPause) {
		up, err := w.turn(ctx)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case up || err != nil:
			return err
		case w.left() <= 0:
			return w.notBack()
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(min(pause, max(w.left(), 0))):
		}
	}
}

// waiter is one reboot on its way.
type waiter struct {
	h        remote.Host
	old      string
	start    time.Time
	deadline time.Duration

	ordered bool      // the host took the order
	doubt   bool      // an order was lost on its way: the host may have it
	heard   time.Time // when the host last answered
	silent  error     // why there is no answer since; nil after one
	fresh   time.Time // when another boot first answered
}

func (w *waiter) left() time.Duration { return w.deadline - time.Since(w.start) }

// turn orders until the order is taken, and from then on asks. An error ends the wait.
func (w *waiter) turn(ctx context.Context) (up bool, err error) {
	limit := max(min(askLimit, w.left()), time.Second)
	if !w.ordered {
		err := order(ctx, w.h, w.old, limit)
		var refused *RefusedError
		var noSession *remote.ConnectError
		if errors.As(err, &refused) && !w.doubt {
			return false, err
		}
		w.ordered = err == nil
		w.doubt = w.doubt || err != nil && !errors.As(err, &noSession)
		return false, w.hear(err)
	}
	a, err := ask(ctx, w.h, limit)
	if err := w.hear(err); err != nil || w.silent != nil || a.id == w.old {
		return false, err
	}
	if w.fresh.IsZero() || a.state == "stopping" {
		w.fresh = time.Now()
	}
	switch a.state {
	case "running", "degraded", "maintenance":
		return true, nil
	}
	return time.Since(w.fresh) > settleLimit, nil
}

// hear notes whether the host answered. Only another host key ends the wait: all else
// that a host says on its way down and up passes.
func (w *waiter) hear(err error) error {
	var key *remote.ConnectError
	if errors.As(err, &key) && key.Reason == remote.HostKeyChanged {
		return err
	}
	if w.silent = err; err == nil {
		w.heard = time.Now()
	}
	return nil
}

// NotBackError says that no other boot of a host was up within the deadline.
type NotBackError struct {
	Host    string
	Within  time.Duration
	Ordered bool      // the host took the order
	Doubt   bool      // otherwise: it may have it all the same
	Since   time.Time // when it last answered
	Silent  error     // why it did not answer since; nil when it answers
	NewBoot bool      // another boot answered once
}

func (w *waiter) notBack() error {
	return &NotBackError{Host: w.h.Name(), Within: w.deadline, Ordered: w.ordered, Doubt: w.doubt, Since: w.heard, Silent: w.silent, NewBoot: !w.fresh.IsZero()}
}

func (e *NotBackError) Error() string {
	text := e.Host + ": "
	switch {
	case e.Silent == nil && e.NewBoot:
		text += fmt.Sprintf("is in another boot, which was not up %s after the order to reboot; see systemctl list-jobs there", e.Within)
	case e.Silent == nil:
		text += fmt.Sprintf("still answers from the boot before, %s after the order to reboot: the reboot did not happen; see systemctl list-jobs there for what holds it up", e.Within)
	case e.NewBoot:
		text += fmt.Sprintf("came up in another boot and is silent since %s: %v", clock(e.Since), e.Silent)
	default:
		text += fmt.Sprintf("did not come back within %s after the order to reboot; it is silent since %s: %v", e.Within, clock(e.Since), e.Silent)
	}
	switch {
	case !e.Ordered && e.Doubt:
		text += "\nwhether the host got the order is not known"
	case !e.Ordered:
		text += "\nthe host did not get the order"
	}
	return text + "\nsee its console, and apply again when it answers; --reboot-timeout allows for a slower boot"
}

func clock(t time.Time) string { return t.Format("15:04:05") }
