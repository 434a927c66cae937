package lab

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// tools that a lab needs on this machine, with the Debian package of each.
func tools() [][2]string {
	return [][2]string{
		{"systemd-nspawn", "systemd-container"},
		{"debootstrap", "debootstrap"},
		{"ssh-keygen", "openssh-client"},
		{"ip", "iproute2"},
		{"nsenter", "util-linux"},
		{"unshare", "util-linux"},
	}
}

var errNotRoot = errors.New("a lab needs root (namespaces, mounts, control groups); run this with sudo")

// vmTools are what a virtual machine needs beside tools.
func vmTools() [][2]string {
	return [][2]string{
		{"qemu-system-x86_64", "qemu-system-x86"},
		{"mke2fs", "e2fsprogs"},
		{"debugfs", "e2fsprogs"},
	}
}

// Missing says what keeps this machine from having a lab and how to change it; nil
// when nothing does.
func Missing() error { return missing(tools()) }

// MissingVM is Missing for a lab with a virtual machine.
func MissingVM() error { return missing(append(tools(), vmTools()...)) }

func (o Options) missing() error {
	if o.VM {
		return MissingVM()
	}
	return Missing()
}

func missing(tools [][2]string) error {
	if os.Geteuid() != 0 {
		return errNotRoot
	}
	var names, packages []string
	for _, t := range tools {
		if _, err := exec.LookPath(t[0]); err != nil {
			names = append(names, t[0])
			packages = append(packages, t[1])
		}
	}
	if len(names) > 0 {
		return fmt.Errorf("a lab needs %s; install with: apt-get install %s",
			strings.Join(names, ", "), strings.Join(slices.Compact(packages), " "))
	}
	return nil
}
