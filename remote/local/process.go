package local

import (
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// grace is what a cancelled script has to end after SIGTERM.
const grace = 2 * time.Second

type process struct {
	cmd            *exec.Cmd
	stdin          io.WriteCloser
	stdout, stderr io.ReadCloser
}

func begin(argv []string) (*process, error) {
	p := &process{cmd: exec.Command(argv[0], argv[1:]...)}
	p.cmd.Dir = "/" // as for a job, and never where pdprov was called
	p.cmd.Env = environment()
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var err error
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if p.stdout, err = p.cmd.StdoutPipe(); err != nil {
		return nil, err
	}
	if p.stderr, err = p.cmd.StderrPipe(); err != nil {
		return nil, err
	}
	return p, p.cmd.Start()
}

// environment is what a login over SSH would have: the rest of pdprov's own, the
// values of variables among it, is no business of scripts.
func environment() []string {
	var env []string
	for _, name := range []string{"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG"} {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// cancel ends the group. The pipes are closed at last, because a process that left
// the group, or that sudo made root's, may hold them; nobody waits for that one.
func (p *process) cancel(over <-chan error) {
	p.signal(syscall.SIGTERM)
	select {
	case <-over:
		p.signal(syscall.SIGKILL) // what the group left behind
		return
	case <-time.After(grace):
	}
	p.signal(syscall.SIGKILL)
	p.stdin.Close()
	p.stdout.Close()
	p.stderr.Close()
	select {
	case <-over:
	case <-time.After(grace):
	}
}

func (p *process) signal(s syscall.Signal) { syscall.Kill(-p.cmd.Process.Pid, s) }

func signalName(s syscall.Signal) string { return strings.TrimPrefix(unix.SignalName(s), "SIG") }
