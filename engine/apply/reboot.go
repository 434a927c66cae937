package apply

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/pdprov/pdprov/engine/plan"
	"github.com/pdprov/pdprov/systemd/boot"
)

// reboot reboots the host of an entry whose steps ended well, and returns when another
// boot of it is up and the lock is held there. The caller has the host for itself.
func (r *runner) reboot(ctx context.Context, h *hostRun, e plan.Entry) error {
	old, err := r.leave(ctx, h)
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		return fmt.Errorf("%w: interrupted before the reboot that it needs; %s was not rebooted", errUnknown, h.name)
	}
	host, err := r.f.Host(ctx, h.name)
	if err != nil {
		return err
	}
	started := time.Now()
	r.emit(Event{Type: HostRebooting, Host: h.name, Stage: e.Stage})
	if err := boot.Reboot(ctx, host, old, r.o.RebootDeadline); err != nil {
		return h.notBack(ctx, err)
	}
	if err := r.retake(ctx, h); err != nil {
		return err
	}
	took := time.Since(started).Round(100 * time.Millisecond)
	r.emit(Event{Type: HostBack, Host: h.name, Stage: e.Stage, Message: took.String()})
	return nil
}

// leave makes sure that nothing of pdprov runs on the host, and tells which boot it is
// in. Jobs run there when another apply had the host while the link was lost.
func (r *runner) leave(ctx context.Context, h *hostRun) (id string, err error) {
	err = r.persist(ctx, h, "making ready for the reboot", func() error {
		host, err := r.f.Host(ctx, h.name)
		if err != nil {
			return err
		}
		if _, err = r.ours(ctx, h); err != nil {
			return err
		}
		if err = r.attach(ctx, h, host); err != nil {
			return err
		}
		id, err = boot.ID(ctx, host)
		return err
	})
	if err == nil && id == ownBoot() {
		err = errors.New("its steps ended well, but pdprov runs on this very host and does not reboot the machine that it runs on: reboot it, and apply again")
	}
	return id, err
}

// ownBoot is the boot of the machine that pdprov runs on, "" where it cannot be read.
func ownBoot() string {
	text, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// notBack says what is not known of a host that has, or may have, the order to reboot.
// From here on nothing more is begun there: it may go down at any time.
func (h *hostRun) notBack(ctx context.Context, err error) error {
	var refused *boot.RefusedError
	if errors.As(err, &refused) {
		return err
	}
	h.adrift = true
	if ctx.Err() != nil {
		return fmt.Errorf("%w: interrupted while %s reboots; whether it comes back is not known. Apply again when it answers", errUnknown, h.name)
	}
	return fmt.Errorf("%w: %w", errUnknown, err)
}

// retake takes the lock again, which a reboot removes. The link of the old session may
// not have noticed yet, so that its being lost says nothing here.
func (r *runner) retake(ctx context.Context, h *hostRun) error {
	h.lockMu.Lock()
	defer h.lockMu.Unlock()
	h.term++
	err := r.persist(ctx, h, "taking the lock after the reboot", func() error { return h.lock.Reacquire(ctx) })
	if err != nil {
		err = fmt.Errorf("%s was rebooted, but its lock could not be taken again: %w", h.name, err)
	}
	return err
}
