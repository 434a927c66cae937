package lab

import (
	"fmt"
	"strings"

	"github.com/pdprov/pdprov/internal/lab/gpubox"
)

// Profile is a kind of machine that hosts pretend to be.
type Profile struct {
	Name     string
	About    string
	Switches []Switch
}

// Profiles lists all profiles, the default first.
func Profiles() []Profile {
	return []Profile{
		{Name: "plain", About: "Debian 12 with sshd, sudo and Python; no GPU tools"},
		{Name: gpubox.RTX, About: "a bare box with 8x RTX PRO 6000 on two NUMA nodes: nouveau has the GPUs, no driver, no repository", Switches: gpubox.AllSwitches()},
		{Name: gpubox.H200, About: "a virtual machine with one H200: Ubuntu 24.04, driver 580.159.04 of no package, CUDA 13.0 in parts", Switches: gpubox.AllSwitches()},
	}
}

// FindProfile returns a profile by name; "" is the first.
func FindProfile(name string) (Profile, error) {
	var names []string
	for _, p := range Profiles() {
		if name == "" || name == p.Name {
			return p, nil
		}
		names = append(names, p.Name)
	}
	return Profile{}, fmt.Errorf("no profile %q; there is: %s", name, strings.Join(names, ", "))
}

// Find returns the switch of a name.
func (p Profile) Find(name string) (Switch, error) {
	for _, s := range p.Switches {
		if s.Name == name {
			return s, nil
		}
	}
	if len(p.Switches) == 0 {
		return Switch{}, fmt.Errorf("profile %s has no switches, so there is nothing to set", p.Name)
	}
	return Switch{}, fmt.Errorf("profile %s has no switch %q; pdlab switches lists them", p.Name, name)
}
