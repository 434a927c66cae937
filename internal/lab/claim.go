package lab

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pdprov/pdprov/internal/lab/cgroup"
	"github.com/pdprov/pdprov/internal/lab/tree"
	"github.com/pdprov/pdprov/internal/lab/wire"
)

// claim makes the lab's folder and returns its lock, held. What a dead lab left there
// is removed; a folder that holds anything else is refused.
func claim(dir string) (*os.File, error) {
	if dir == "/" || dir == "/run" || strings.HasPrefix(dir, "/run/") {
		return nil, fmt.Errorf("a lab cannot be in %s, because hosts keep their own files there; choose another folder", dir)
	}
	if err := Clear(dir); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	if err := refuseForeign(dir); err != nil {
		return nil, err
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		return nil, err
	}
	return lock(dir, os.O_CREATE)
}

func refuseForeign(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	if len(entries) > 0 {
		return fmt.Errorf("%s is not empty and not a lab (it holds %s); choose another folder", dir, entries[0].Name())
	}
	return nil
}

// lock takes the lock that a supervisor holds as long as it lives.
func lock(dir string, flag int) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, wire.LockFile), os.O_RDWR|flag, 0o600)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		f.Close()
		return nil, fmt.Errorf("a lab is already up in %s; end it with: pdlab down --dir %s", dir, dir)
	}
	return f, nil
}

// Clear removes what a dead lab left in a folder and in the control groups. A folder
// without a lab is left alone; a living lab is an error.
func Clear(dir string) error {
	held, err := lock(dir, 0)
	if errors.Is(err, os.ErrNotExist) {
		return cgroup.Sweep()
	}
	if err != nil {
		return err
	}
	defer held.Close()
	if state, err := readState(dir); err == nil && !waitGone(state.Supervisor, 10*time.Second) {
		return fmt.Errorf("supervisor %d of the dead lab in %s does not end", state.Supervisor.Pid, dir)
	}
	return errors.Join(cgroup.Sweep(), tree.Remove(dir))
}

func readState(dir string) (wire.State, error) {
	var state wire.State
	text, err := os.ReadFile(filepath.Join(dir, wire.StateFile))
	if err != nil {
		return state, err
	}
	return state, json.Unmarshal(text, &state)
}

func waitGone(p wire.Process, limit time.Duration) bool {
	for end := time.Now().Add(limit); p.Alive(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			return false
		}
	}
	return true
}

func kill(p wire.Process) {
	if p.Alive() {
		_ = syscall.Kill(p.Pid, syscall.SIGKILL)
	}
}
