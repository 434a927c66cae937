package lab

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/pdprov/pdprov/internal/lab/cgroup"
	"github.com/pdprov/pdprov/internal/lab/wire"
)

// launch starts a supervisor in new namespaces and waits for its hosts. Until all is
// well the supervisor hangs on this process, so that a kill at any time leaves nothing.
func launch(ctx context.Context, o Options, base string) (*Lab, error) {
	held, err := claim(o.Dir)
	if err != nil {
		return nil, err
	}
	defer held.Close() // the supervisor has it too
	start, err := prepare(ctx, o, base, held)
	if err != nil {
		return nil, errors.Join(err, held.Close(), Clear(o.Dir))
	}
	l, err := start.run()
	if err == nil {
		err = l.waitAll(ctx)
	}
	if err == nil && o.Stay {
		_, err = io.WriteString(start.stdin, wire.Stay+"\n")
	}
	if err != nil {
		return nil, errors.Join(err, held.Close(), start.abort())
	}
	if !o.Stay {
		l.lifeline = start.stdin
	}
	return l, nil
}

// starting is a supervisor that is not ready yet.
type starting struct {
	o      Options
	config wire.Config
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout *os.File
	ended  chan struct{}
}

// prepare makes the command of the supervisor and all that it needs.
func prepare(ctx context.Context, o Options, base string, held *os.File) (*starting, error) {
	identity := filepath.Join(o.Dir, wire.Identity)
	keygen := exec.CommandContext(ctx, "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "pdlab", "-f", identity)
	if out, err := keygen.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("ssh-keygen: %w: %s", err, out)
	}
	program, err := program(ctx, o)
	if err != nil {
		return nil, err
	}
	kernel, err := repository(o)
	if err != nil {
		return nil, err
	}
	s := &starting{o: o, ended: make(chan struct{}), config: wire.Config{
		Dir: o.Dir, Program: program, Bundle: bundle(),
		State: wire.State{Base: base, Profile: o.Profile, Kernel: kernel, Hosts: o.Hosts, VM: o.VM, Environment: environment()},
	}}
	s.cmd = exec.Command(program, "supervise")
	s.cmd.Dir = o.Dir // its own paths are relative: they may be long
	s.cmd.SysProcAttr = &syscall.SysProcAttr{
		Setsid:     true,
		Cloneflags: syscall.CLONE_NEWPID | syscall.CLONE_NEWNS | syscall.CLONE_NEWNET | syscall.CLONE_NEWIPC,
	}
	if s.stdin, err = s.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	return s, s.start(held)
}

// start hands over the files that supervisor.Run expects.
func (s *starting) start(held *os.File) error {
	log, err := os.OpenFile(filepath.Join(s.o.Dir, wire.LogFile), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	network, err := os.Open("/proc/self/ns/net")
	if err != nil {
		return err
	}
	defer network.Close()
	mounts, err := os.Open("/proc/self/ns/mnt")
	if err != nil {
		return err
	}
	defer mounts.Close()
	stdout, theirs, err := os.Pipe()
	if err != nil {
		return err
	}
	defer theirs.Close()
	s.stdout, s.cmd.Stdout, s.cmd.Stderr = stdout, theirs, log
	s.cmd.ExtraFiles = []*os.File{network, mounts, held}
	if err := s.cmd.Start(); err != nil {
		return fmt.Errorf("starting the supervisor of the lab: %w", err)
	}
	go func() {
		_ = s.cmd.Wait()
		close(s.ended)
	}()
	return nil
}

// run gives the supervisor its configuration and waits until it is ready.
func (s *starting) run() (*Lab, error) {
	p, err := wire.FindProcess(s.cmd.Process.Pid)
	if err != nil {
		return nil, err
	}
	s.config.Supervisor, s.config.Cgroup = p, cgroup.Name(p)
	if err := json.NewEncoder(s.stdin).Encode(s.config); err != nil {
		return nil, fmt.Errorf("configuring the supervisor of the lab: %w", err)
	}
	if err := s.report(); err != nil {
		return nil, err
	}
	return &Lab{dir: s.o.Dir, state: s.config.State, ended: s.ended}, nil
}

// report reads the supervisor's one line.
func (s *starting) report() error {
	defer s.stdout.Close()
	line, err := bufio.NewReader(s.stdout).ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("the supervisor of the lab ended without a word: %s", tail(filepath.Join(s.o.Dir, wire.LogFile)))
	}
	var report wire.Report
	if err := json.Unmarshal(line, &report); err != nil {
		return fmt.Errorf("the supervisor of the lab said %q", line)
	}
	if report.Error != "" {
		return errors.New(report.Error)
	}
	return nil
}

// abort leaves nothing of a lab that did not come up.
func (s *starting) abort() error {
	kill(s.config.Supervisor)
	<-s.ended
	return Clear(s.o.Dir)
}

// tail is the end of a log, as evidence.
func tail(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	return strings.TrimSpace(string(text[max(0, len(text)-1000):]))
}

// waitEnd is true when the supervisor, and all that hung on it, is gone within the limit.
func (l *Lab) waitEnd(limit time.Duration) bool {
	if l.ended == nil {
		return waitGone(l.state.Supervisor, limit)
	}
	select {
	case <-l.ended:
		return true
	case <-time.After(limit):
		return false
	}
}
