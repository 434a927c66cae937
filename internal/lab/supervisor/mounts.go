package supervisor

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// isolateMounts keeps every later mount out of the machine's view, shows the pids of
// this namespace in /proc, and hides /run: nspawn keeps files there that would be
// shared among labs and would stay, and would wait for a udev that does not see the
// lab's links.
func isolateMounts() error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("making mounts private: %w", err)
	}
	if err := unix.Mount("proc", "/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
		return fmt.Errorf("mounting /proc: %w", err)
	}
	if err := unix.Mount("tmpfs", "/run", "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=0755"); err != nil {
		return fmt.Errorf("mounting /run: %w", err)
	}
	return nil
}
