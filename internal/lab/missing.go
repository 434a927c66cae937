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

// Missing says what keeps this machine from having a lab and how to change it; nil
// when nothing does.
func Missing() error {
	if os.Geteuid() != 0 {
		return errNotRoot
	}
	var names, packages []string
	for _, t := range tools() {
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
