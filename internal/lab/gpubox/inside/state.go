package inside

import (
	"encoding/json"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/pdprov/pdprov/internal/lab/gpubox"
	"github.com/pdprov/pdprov/internal/lab/gpubox/kmod"
)

// state is what the kernel of the box has loaded.
type state struct {
	Kernel  string // that was booted; uname says the machine's own
	Modules []kmod.Module
}

const stateFile = gpubox.Run + "/state.json"

// load reads the state; before the boot unit ran, nothing is loaded.
func load() state {
	var s state
	text, err := os.ReadFile(stateFile)
	if err == nil {
		_ = json.Unmarshal(text, &s) // written by save
	}
	return s
}

// change lets one process at a time change the state, then shows it in all trees.
func change(do func(*state) int) int {
	f, err := os.OpenFile(gpubox.Run+"/lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fail("%v", err)
	}
	defer f.Close()
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil {
		return fail("%v", err)
	}
	s := load()
	status := do(&s)
	if err := s.save(); err != nil {
		return fail("%v", err)
	}
	if err := show(s, machine()); err != nil {
		return fail("%v", err)
	}
	return status
}

func (s state) save() error {
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	if err := os.WriteFile(stateFile+".new", text, 0o644); err != nil {
		return err
	}
	return os.Rename(stateFile+".new", stateFile)
}

// module finds a loaded module by its name, with dashes or underscores.
func (s state) module(name string) (kmod.Module, bool) {
	i := s.index(name)
	if i < 0 {
		return kmod.Module{}, false
	}
	return s.Modules[i], true
}

func (s state) index(name string) int {
	name = strings.ReplaceAll(name, "-", "_")
	return slices.IndexFunc(s.Modules, func(m kmod.Module) bool { return m.Name == name })
}

// users are the loaded modules that need a module.
func (s state) users(name string) []string {
	var found []string
	for _, m := range s.Modules {
		if needs(m.Name) == name {
			found = append(found, m.Name)
		}
	}
	return found
}

// needs is the module that another cannot be without.
func needs(name string) string {
	switch name {
	case "nvidia_drm":
		return "nvidia_modeset"
	case "nvidia_modeset", "nvidia_uvm", "nvidia_peermem":
		return "nvidia"
	}
	return ""
}

// works is true when a driver is loaded that has the GPUs.
func (s state) works(m gpubox.Machine) bool {
	driver, ok := s.module("nvidia")
	return ok && (driver.License == kmod.Open || len(m.GPUs) > 0 && m.GPUs[0].Architecture != "Blackwell")
}
