// Package cgroup keeps each lab's control group directories apart from the machine's
// own, whether version 1, version 2 or both are mounted.
package cgroup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pdprov/pdprov/internal/lab/wire"
)

const prefix = "pdlab-"

// Name of the directories of the lab whose supervisor is p; the name says which
// process must be gone before they may be swept.
func Name(p wire.Process) string { return fmt.Sprintf("%s%d-%d", prefix, p.Pid, p.Start) }

// owner is the inverse of Name.
func owner(name string) (wire.Process, bool) {
	pid, start, ok := strings.Cut(strings.TrimPrefix(name, prefix), "-")
	p, err1 := strconv.Atoi(pid)
	s, err2 := strconv.ParseUint(start, 10, 64)
	return wire.Process{Pid: p, Start: s}, ok && strings.HasPrefix(name, prefix) && err1 == nil && err2 == nil
}

// hierarchies are the mount points in which hosts get directories. The cpuset of
// version 1 is left out: a new group of it admits no process before it is configured.
func hierarchies() ([]string, error) {
	mounts, err := os.ReadFile("/proc/self/mounts")
	if err != nil {
		return nil, err
	}
	var found []string
	for line := range strings.Lines(string(mounts)) {
		f := strings.Fields(line)
		if len(f) < 4 || !strings.HasPrefix(f[1], "/sys/fs/cgroup") {
			continue
		}
		v1 := f[2] == "cgroup" && !slices.Contains(strings.Split(f[3], ","), "cpuset")
		if v1 || f[2] == "cgroup2" {
			found = append(found, f[1])
		}
	}
	if len(found) == 0 {
		return nil, errors.New("no control groups are mounted at /sys/fs/cgroup")
	}
	return found, nil
}

// Make creates the directories lab/host in every hierarchy and returns their
// cgroup.procs files: a process enters by writing its pid there.
func Make(lab, host string) ([]string, error) {
	roots, err := hierarchies()
	if err != nil {
		return nil, err
	}
	var procs []string
	for _, root := range roots {
		top := filepath.Join(root, lab)
		if err := os.MkdirAll(filepath.Join(top, host), 0o755); err != nil {
			return nil, err
		}
		delegate(root)
		delegate(top)
		procs = append(procs, filepath.Join(top, host, "cgroup.procs"))
	}
	return procs, nil
}

// delegate lets the children of a version 2 group use its controllers. One that
// cannot be handed down is missing inside the hosts, and nothing else.
func delegate(group string) {
	names, err := os.ReadFile(filepath.Join(group, "cgroup.controllers"))
	if err != nil {
		return
	}
	for _, c := range strings.Fields(string(names)) {
		_ = os.WriteFile(filepath.Join(group, "cgroup.subtree_control"), []byte("+"+c), 0o644)
	}
}

// Remove removes a lab's directories; all its processes must have ended.
func Remove(lab string) error {
	roots, err := hierarchies()
	if err != nil {
		return err
	}
	var errs []error
	for _, root := range roots {
		errs = append(errs, removeTree(filepath.Join(root, lab)))
	}
	return errors.Join(errs...)
}

// removeTree removes directories from the deepest up; their files are not files. The
// kernel may count a process as a member for a moment after its end.
func removeTree(top string) error {
	var err error
	for range 100 {
		if err = removeOnce(top); !errors.Is(err, unix.EBUSY) {
			return err
		}
		time.Sleep(20 * time.Millisecond)
	}
	return err
}

func removeOnce(top string) error {
	var dirs []string
	err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			dirs = append(dirs, path)
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
	for _, dir := range slices.Backward(dirs) {
		if err != nil {
			return err
		}
		if err = os.Remove(dir); errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
	}
	return err
}

// Sweep removes the directories of labs whose supervisor is gone.
func Sweep() error {
	roots, err := hierarchies()
	if err != nil {
		return err
	}
	var errs []error
	for _, root := range roots {
		tops, _ := filepath.Glob(filepath.Join(root, prefix+"*"))
		for _, top := range tops {
			if p, ok := owner(filepath.Base(top)); ok && !p.Alive() {
				errs = append(errs, removeTree(top))
			}
		}
	}
	return errors.Join(errs...)
}
