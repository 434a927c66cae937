package supervisor

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/pdprov/pdprov/internal/lab/tree"
	"github.com/pdprov/pdprov/internal/lab/wire"
)

// host is one disposable machine: an overlay of the base root, a cable, and at most
// one running nspawn or qemu.
type host struct {
	Name, Address string
	lab           *supervisor
	cable         cable

	op      sync.Mutex // one operation at a time
	mu      sync.Mutex // guards what follows
	machine *machine   // nil when off
	boots   int
	hostKey string
}

func (h *host) dir() string  { return filepath.Join(wire.HostsDir, h.Name) }
func (h *host) root() string { return filepath.Join(h.dir(), "root") }

// create makes the host out of nothing and boots it.
func (h *host) create() error {
	h.cable = cable{host: h.Name}
	if err := h.cable.create(); err != nil {
		return err
	}
	if err := h.image(); err != nil {
		return err
	}
	return h.powerOn()
}

// image gives the host a fresh overlay, with new identity and new host key.
func (h *host) image() error {
	for _, sub := range []string{"up", "work", "root"} {
		if err := os.MkdirAll(filepath.Join(h.dir(), sub), 0o755); err != nil {
			return err
		}
	}
	lower := strings.NewReplacer(`\`, `\\`, ":", `\:`, ",", `\,`).Replace(h.lab.Base)
	options := fmt.Sprintf("lowerdir=%s,upperdir=%s/up,workdir=%s/work", lower, h.dir(), h.dir())
	if err := unix.Mount("pdlab-"+h.Name, h.root(), "overlay", 0, options); err != nil {
		return fmt.Errorf("mounting an overlay of %s in %s: %w (the lab's folder must be on a file system that can hold one, such as ext4 or xfs)", h.lab.Base, h.lab.Dir, err)
	}
	key, err := h.seed()
	if err != nil {
		return fmt.Errorf("writing the host's own files: %w", err)
	}
	if h.lab.VM {
		if err := h.makeDisk(); err != nil {
			return err
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.hostKey = key
	return nil
}

func (h *host) unmount() error {
	err := unix.Unmount(h.root(), 0)
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOENT) {
		return nil // not mounted
	}
	return err
}

// reimage is what a person does to a broken box: a fresh system of the same name and
// address, and another ssh host key.
func (h *host) reimage() error {
	if err := errors.Join(h.powerOff(), h.unmount()); err != nil {
		return err
	}
	if err := tree.Remove(filepath.Join(h.lab.Dir, h.dir())); err != nil {
		return err
	}
	if err := h.image(); err != nil {
		return err
	}
	return h.powerOn()
}

func (h *host) status() wire.HostStatus {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := wire.HostStatus{
		Name: h.Name, Address: h.Address, Boots: h.boots, HostKey: h.hostKey,
		Running: h.machine != nil,
	}
	if h.machine != nil {
		s.Leader = h.machine.leader()
	}
	s.Cut, s.Delay, s.Loss = h.cable.state()
	return s
}
