// Package inside is what runs within a GPU box of the lab: the commands that stand for
// NVIDIA's and for those that change what is loaded, and the unit that decides at boot.
package inside

import (
	"fmt"
	"os"
	"os/exec"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/pdprov/pdprov/internal/lab/gpubox"
)

// command is the body of a stub; it returns the exit status.
type command func(args []string) int

func commands() map[string]command {
	return map[string]command{
		"boot":                boot,
		"modprobe":            modprobe,
		"rmmod":               rmmod,
		"lsmod":               lsmod,
		"dkms":                dkms,
		"update-initramfs":    updateInitramfs,
		"lsinitramfs":         lsInitramfs,
		"nvidia-smi":          smi,
		"nvidia-modprobe":     nvidiaModprobe,
		"nvidia-persistenced": persistenced,
		"nv-fabricmanager":    fabricManager,
		"set":                 setSwitch,
		"hold":                hold,
		"lock":                lock,
	}
}

// Main runs the stub that the first argument names.
func Main(args []string) int {
	if len(args) == 0 || commands()[args[0]] == nil {
		fmt.Fprintln(os.Stderr, "pdlab box: this is for the stubs inside a GPU box")
		return 2
	}
	return commands()[args[0]](args[1:])
}

// fail says why and returns 1.
func fail(format string, args ...any) int {
	fmt.Fprintf(os.Stderr, format+"\n", args...)
	return 1
}

// real becomes the command that a stub stands before.
func real(name string, args []string) int {
	err := unix.Exec(gpubox.Real+"/"+name, append([]string{name}, args...), os.Environ())
	return fail("%s: %v", name, err)
}

// set is the value of a switch; "" is what a host has from the start.
func set(name string) string {
	text, _ := os.ReadFile(gpubox.Switches + "/" + name)
	return strings.TrimSpace(string(text))
}

// profile is the name of this host's profile.
func profile() string {
	text, _ := os.ReadFile(gpubox.Profile)
	return strings.TrimSpace(string(text))
}

// machine is this host's hardware, as switches left it.
func machine() gpubox.Machine {
	m, _ := gpubox.Find(profile())
	return altered(m)
}

// run runs a command whose failure stops nothing.
func run(name string, args ...string) {
	cmd := exec.Command(name, args...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
	}
}

func release() string {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return ""
	}
	return unix.ByteSliceToString(u.Release[:])
}
