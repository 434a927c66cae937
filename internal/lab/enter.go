package lab

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/pdprov/pdprov/internal/posixsh"
)

// NetworkArgs are the words of a command that runs another, on this machine, in the
// lab's network.
func (l *Lab) NetworkArgs(name string, args ...string) []string {
	return append([]string{"nsenter", "--net=" + l.network(), "--", name}, args...)
}

// Command is a command on this machine in the lab's network.
func (l *Lab) Command(name string, args ...string) *exec.Cmd {
	words := l.NetworkArgs(name, args...)
	return exec.Command(words[0], words[1:]...)
}

// CommandContext is Command with a context.
func (l *Lab) CommandContext(ctx context.Context, name string, args ...string) *exec.Cmd {
	words := l.NetworkArgs(name, args...)
	return exec.CommandContext(ctx, words[0], words[1:]...)
}

func (l *Lab) network() string { return fmt.Sprintf("/proc/%d/ns/net", l.state.Supervisor.Pid) }

// DialContext connects from inside the lab's network. The address holds an IP or the
// name of a host, and a port.
func (l *Lab) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	name, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	if h := l.Host(name); h.Address != "" {
		name = h.Address
	}
	if net.ParseIP(name) == nil {
		return nil, fmt.Errorf("dialing %s: a lab has no DNS; use an IP address or the name of one of its hosts", address)
	}
	type result struct {
		conn net.Conn
		err  error
	}
	done := make(chan result, 1)
	go func() {
		conn, err := l.dialHere(ctx, network, net.JoinHostPort(name, port))
		done <- result{conn, err}
	}()
	r := <-done
	return r.conn, r.err
}

// dialHere moves its thread into the lab's network for the time of the call; the
// address must be numeric, so that the dialer asks no other thread to resolve it.
// A thread that cannot go back stays locked and so ends with its goroutine.
func (l *Lab) dialHere(ctx context.Context, network, address string) (net.Conn, error) {
	home, err := os.Open("/proc/thread-self/ns/net")
	if err != nil {
		return nil, err
	}
	defer home.Close()
	lab, err := os.Open(l.network())
	if err != nil {
		return nil, fmt.Errorf("the lab's network: %w", err)
	}
	defer lab.Close()
	runtime.LockOSThread()
	if err := unix.Setns(int(lab.Fd()), unix.CLONE_NEWNET); err != nil {
		runtime.UnlockOSThread()
		return nil, fmt.Errorf("entering the lab's network: %w", err)
	}
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, network, address)
	if unix.Setns(int(home.Fd()), unix.CLONE_NEWNET) == nil {
		runtime.UnlockOSThread()
	}
	return conn, err
}

// ExecArgs are the words of a command that runs another inside the host, without
// ssh: as root, in /, with the host's own environment and with the caller's stdin and
// stdout; its exit status is kept. The first step is into the supervisor's namespaces,
// in which the host's init has its pid.
func (h *Host) ExecArgs(args ...string) ([]string, error) {
	now, err := h.Status()
	if err != nil {
		return nil, err
	}
	if now.Leader == 0 {
		return nil, fmt.Errorf("%s is off", h.Name)
	}
	if h.lab.state.VM {
		return h.lab.NetworkArgs("ssh", "-F", h.lab.SSHConfig(), "-o", "BatchMode=yes", "-o", "RequestTTY=yes",
			"-o", "LogLevel=ERROR", "--", h.Name, posixsh.Words(args...)), nil
	}
	words := []string{
		"nsenter", "--target", strconv.Itoa(h.lab.state.Supervisor.Pid), "--pid", "--mount", "--net", "--",
		"nsenter", "--target", strconv.Itoa(now.Leader), "--mount", "--uts", "--ipc", "--net", "--pid", "--cgroup", "--",
		"/usr/bin/env", "-i", "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
		"HOME=/root", "USER=root", "LANG=C.UTF-8", "TERM=" + os.Getenv("TERM"),
	}
	return append(append(words, h.lab.state.Environment...), args...), nil
}

// Exec runs a command inside the host, as ExecArgs says, and returns its stdout. An error
// holds its stderr. When the context ends, the command is killed.
func (h *Host) Exec(ctx context.Context, args ...string) ([]byte, error) {
	return h.ExecInput(ctx, "", args...)
}

// ExecInput is Exec with something on stdin.
func (h *Host) ExecInput(ctx context.Context, stdin string, args ...string) ([]byte, error) {
	words, err := h.ExecArgs(args...)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return stdout.Bytes(), fmt.Errorf("%q on %s: %w: %s", args, h.Name, errors.Join(err, ctx.Err()), bytes.TrimSpace(stderr.Bytes()))
	}
	return stdout.Bytes(), nil
}
