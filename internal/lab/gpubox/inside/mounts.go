package inside

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"github.com/pdprov/pdprov/internal/lab/gpubox"
)

// Trees of the box, by the place where each is mounted.
func trees() map[string]string {
	return map[string]string{
		"/sys/module":              gpubox.Run + "/module",
		"/sys/bus/pci/devices":     gpubox.Run + "/pci",
		"/sys/devices/system/node": gpubox.Run + "/node",
		"/proc/driver":             gpubox.Run + "/driver",
		"/sys/firmware":            firmware,
	}
}

// mountTrees puts the trees in place. In a host /sys is a small tmpfs that can be
// written when it is mounted so, with parts of the machine's sysfs in it.
func mountTrees() error {
	if err := unix.Mount("", "/sys", "", unix.MS_REMOUNT|unix.MS_BIND|unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
		return fmt.Errorf("making /sys writable: %w", err)
	}
	for at, tree := range trees() {
		if err := os.MkdirAll(tree, 0o755); err != nil {
			return err
		}
		if err := mount(tree, at); err != nil {
			return err
		}
	}
	for at, file := range map[string]string{"/proc/modules": gpubox.Run + "/modules", "/sys/devices/system/cpu/online": gpubox.Run + "/cpus"} {
		if _, err := os.Stat(at); err != nil {
			continue // a kernel without modules has none
		}
		if err := mount(file, at); err != nil {
			return err
		}
	}
	return nil
}

func mount(from, at string) error {
	if info, err := os.Stat(from); err == nil && info.IsDir() {
		if err := os.MkdirAll(at, 0o755); err != nil {
			return err
		}
	}
	if err := unix.Mount(from, at, "", unix.MS_BIND, ""); err != nil {
		return fmt.Errorf("mounting on %s: %w", at, err)
	}
	return nil
}
