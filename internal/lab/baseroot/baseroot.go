// Package baseroot builds the Debian root that all practice hosts share, once, and
// keeps it in a cache folder.
package baseroot

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/pdprov/pdprov/internal/lab/tree"
)

// Cache is the folder that keeps base roots: PDLAB_CACHE or /var/cache/pdlab.
func Cache() string {
	if dir := os.Getenv("PDLAB_CACHE"); dir != "" {
		return dir
	}
	return "/var/cache/pdlab"
}

// Ensure returns the path of a complete base root; it builds one when there is none,
// which takes one or two minutes. Of two that start at once, one builds and the other waits.
func Ensure(ctx context.Context, log io.Writer) (string, error) {
	m := findMirrors()
	root := filepath.Join(Cache(), "base-"+version(m.list()))
	if complete(root) {
		return root, nil
	}
	if err := os.MkdirAll(Cache(), 0o755); err != nil {
		return "", err
	}
	unlock, err := lock(root + ".lock")
	if err != nil {
		return "", fmt.Errorf("waiting for another builder of the base root: %w", err)
	}
	defer unlock()
	if complete(root) {
		return root, nil
	}
	fmt.Fprintf(log, "building the base root from %s (once; a minute or two)\n", m.main)
	return root, build(ctx, root, m)
}

// complete is true for a whole root only: a half-built one has another name.
func complete(root string) bool {
	_, err := os.Stat(filepath.Join(root, "usr/lib/systemd/systemd"))
	return err == nil
}

func lock(path string) (func(), error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil {
		return nil, err
	}
	return func() { f.Close() }, nil
}

func build(ctx context.Context, root string, m mirrors) error {
	half := root + ".building"
	if err := tree.Remove(half); err != nil {
		return fmt.Errorf("removing what an earlier build left: %w", err)
	}
	include := "--include=" + strings.Join(packages(), ",")
	if err := isolated(ctx, nil, "debootstrap", "--variant=minbase", include, suite, half, m.main); err != nil {
		return fmt.Errorf("%w; the whole log is in %s/debootstrap/debootstrap.log", err, half)
	}
	if err := os.WriteFile(filepath.Join(half, "etc/apt/sources.list"), []byte(m.list()), 0o644); err != nil {
		return err
	}
	if err := isolated(ctx, strings.NewReader(finish), "chroot", half, "/bin/sh", "-s"); err != nil {
		return fmt.Errorf("finishing the base root: %w", err)
	}
	return os.Rename(half, root)
}

// isolated runs a command in its own mount and pid namespaces, so that what it mounts
// or starts ends with it, even when it or this process is killed.
func isolated(ctx context.Context, stdin io.Reader, name string, args ...string) error {
	runtime.LockOSThread() // the death signal is tied to the thread that starts the command
	defer runtime.UnlockOSThread()
	args = append([]string{
		"--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "--",
		"/bin/sh", "-c", `umask 022 && exec "$@"`, "sh", name,
	}, args...)
	cmd := exec.CommandContext(ctx, "unshare", args...)
	cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive", "LC_ALL=C.UTF-8",
		"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin")
	cmd.Stdin = stdin
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w: %s", name, err, lastLines(out, 5))
	}
	return nil
}

func lastLines(out []byte, n int) string {
	lines := strings.Split(string(bytes.TrimSpace(out)), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
