package lab

import (
	"context"
	"fmt"
	"time"

	"github.com/pdprov/pdprov/internal/lab/gpubox"
	"github.com/pdprov/pdprov/internal/lab/wire"
)

// Switch is a fact or a failure of a host that can be set while it runs.
type Switch = gpubox.Switch

// ahead is how far a repository is dated in the future where a clock is behind.
const ahead = 17 * 24 * time.Hour

// setLimit is the time that a switch may take: some install packages.
const setLimit = 2 * time.Minute

// Set sets a switch of the lab's profile. It returns when what takes effect at once has
// taken effect.
func (h *Host) Set(name, value string) error {
	p, err := h.lab.Profile()
	if err != nil {
		return err
	}
	s, err := p.Find(name)
	if err != nil {
		return err
	}
	if err := s.Check(value); err != nil {
		return err
	}
	switch {
	case name == "clock":
		return h.setClock(value)
	case name == "smi" && value == "hang-unkillable":
		if err := h.ask(wire.Request{Op: wire.OpHang}); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), setLimit)
	defer cancel()
	if _, err := h.Exec(ctx, gpubox.Program, "box", "set", name, value); err != nil {
		return fmt.Errorf("setting %s=%s: %w", name, value, err)
	}
	return nil
}

// setClock dates the repositories of all hosts: a host's clock is the machine's own.
func (h *Host) setClock(value string) error {
	at := time.Now()
	if value == "behind" {
		at = at.Add(ahead)
	}
	return gpubox.DateRepositories(h.lab.dir, h.lab.state.Kernel, at)
}
