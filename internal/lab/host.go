package lab

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/pdprov/pdprov/internal/lab/wire"
)

// Host is one disposable host. It is safe for use by several goroutines.
type Host struct {
	Name    string // h1, h2 ...
	Address string // in the lab's own network
	lab     *Lab
}

// Status is a host as it is now.
type Status = wire.HostStatus

// bootLimit is how long a host may take until ssh answers. Emulated programs are some
// forty times slower.
func (l *Lab) bootLimit() time.Duration {
	if l.state.VM {
		return 5 * time.Minute
	}
	return time.Minute
}

// Status asks the supervisor; it does not touch the host.
func (h *Host) Status() (Status, error) {
	answer, err := h.lab.ask(wire.Request{Op: wire.OpList})
	if err != nil {
		return Status{}, err
	}
	for _, s := range answer.Hosts {
		if s.Name == h.Name {
			return s, nil
		}
	}
	return Status{}, fmt.Errorf("this lab has no host %q; it has h1 to h%d", h.Name, len(answer.Hosts))
}

func (h *Host) ask(r wire.Request) error {
	r.Host = h.Name
	_, err := h.lab.ask(r)
	return err
}

// Cut takes the host's network link away; it stays away, also over a reboot, until Mend.
func (h *Host) Cut() error { return h.ask(wire.Request{Op: wire.OpCut}) }

// Mend undoes Cut.
func (h *Host) Mend() error { return h.ask(wire.Request{Op: wire.OpMend}) }

// Delay adds d to every round trip between the host and all others, and loses a
// percentage of packets each way. Zeros end it.
func (h *Host) Delay(d time.Duration, loss float64) error {
	if d < 0 || loss < 0 || loss > 100 {
		return fmt.Errorf("delay %v with %v%% loss: the delay must not be negative and the loss must be 0 to 100", d, loss)
	}
	return h.ask(wire.Request{Op: wire.OpDelay, Delay: d, Loss: loss})
}

// PowerOff pulls the plug: all processes are killed, nothing is told, the disk stays.
// It does nothing to a host that is off.
func (h *Host) PowerOff() error { return h.ask(wire.Request{Op: wire.OpOff}) }

// PowerOn boots a host that is off and returns when its ssh answers.
func (h *Host) PowerOn() error {
	if err := h.ask(wire.Request{Op: wire.OpOn}); err != nil {
		return err
	}
	return h.waitBoot()
}

// Reboot reboots from inside and returns when ssh answers again.
func (h *Host) Reboot() error {
	before, err := h.Status()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), h.lab.bootLimit())
	defer cancel()
	if _, err := h.Exec(ctx, "systemctl", "reboot", "--no-block"); err != nil {
		return err
	}
	for {
		now, err := h.Status()
		if err != nil {
			return err
		}
		if now.Boots > before.Boots {
			return h.WaitSSH(ctx)
		}
		if !now.Running {
			return fmt.Errorf("%s went off instead of rebooting", h.Name)
		}
		if err := pause(ctx); err != nil {
			return fmt.Errorf("%s did not go down for its reboot: %w", h.Name, err)
		}
	}
}

// Reimage gives the host a fresh system and another ssh host key, which KnownHosts
// does not learn before Trust, and returns when ssh answers.
func (h *Host) Reimage() error {
	if err := h.ask(wire.Request{Op: wire.OpReimage}); err != nil {
		return err
	}
	return h.waitBoot()
}

// Trust puts the host's present key into KnownHosts.
func (h *Host) Trust() error {
	now, err := h.Status()
	if err != nil {
		return err
	}
	text, err := os.ReadFile(h.lab.KnownHosts())
	if err != nil {
		return err
	}
	var known strings.Builder
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, h.Name+",") {
			known.WriteString(line)
		}
	}
	known.WriteString(wire.KnownHostsLine(now))
	return os.WriteFile(h.lab.KnownHosts(), []byte(known.String()), 0o600)
}

func (h *Host) waitBoot() error {
	ctx, cancel := context.WithTimeout(context.Background(), h.lab.bootLimit())
	defer cancel()
	return h.WaitSSH(ctx)
}

func pause(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(20 * time.Millisecond):
		return nil
	}
}
