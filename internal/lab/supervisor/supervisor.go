// Package supervisor is the one process that a lab hangs on: the first process of a
// pid, mount and network namespace of its own, so that hosts, mounts and links all
// vanish with it, however it ends.
package supervisor

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"github.com/pdprov/pdprov/internal/lab/cgroup"
	"github.com/pdprov/pdprov/internal/lab/tree"
	"github.com/pdprov/pdprov/internal/lab/wire"
)

// Files that the starter hands over, beside stdin.
const (
	fdMachineNet = 3 + iota
	fdMachineMount
	fdLock
)

type supervisor struct {
	wire.Config
	machine []*os.File // the machine's own network and mount namespaces, for the proxy
	hosts   []*host
	once    sync.Once
	end     chan struct{} // closed when the lab shall end
}

// Run is the whole life of a supervisor. It reads a wire.Config from stdin, reports
// on stdout, and ends the lab when stdin ends before wire.Stay came, when it is asked
// to, or by SIGTERM.
func Run() error {
	if os.Getpid() != 1 {
		return errors.New("a supervisor is started by pdlab up only, in namespaces of its own")
	}
	// A starter that is gone must not end this process before it has cleaned up. The
	// signals are caught, not ignored: the hosts would inherit that.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE, syscall.SIGHUP)
	syscall.Umask(0o022) // modes in the hosts are theirs, not the starter's
	for fd := fdMachineNet; fd <= fdLock; fd++ {
		syscall.CloseOnExec(fd)
	}
	stdin := bufio.NewReader(os.Stdin)
	s := &supervisor{end: make(chan struct{}), machine: []*os.File{
		os.NewFile(fdMachineNet, "machine's network"), os.NewFile(fdMachineMount, "machine's mounts"),
	}}
	if err := s.readConfig(stdin); err != nil {
		return err
	}
	report := json.NewEncoder(os.Stdout)
	if err := s.start(); err != nil {
		_ = report.Encode(wire.Report{Error: err.Error()})
		return errors.Join(err, s.clean())
	}
	go s.watchStarter(stdin)
	go s.watchSignals()
	_ = report.Encode(wire.Report{}) // where nobody listens, stdin has ended too
	<-s.end
	return s.clean()
}

func (s *supervisor) readConfig(stdin *bufio.Reader) error {
	line, err := stdin.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("reading the configuration of the lab: %w", err)
	}
	return json.Unmarshal(line, &s.Config)
}

func (s *supervisor) start() error {
	if err := isolateMounts(); err != nil {
		return err
	}
	if err := startNetwork(); err != nil {
		return err
	}
	if err := s.startProxy(); err != nil {
		return err
	}
	if err := s.startHosts(); err != nil {
		return err
	}
	if err := s.writeFiles(); err != nil {
		return err
	}
	return s.listen()
}

// startHosts prepares and boots all hosts at once and reports every failure.
func (s *supervisor) startHosts() error {
	errs := make([]error, s.Hosts)
	var all sync.WaitGroup
	for i := 1; i <= s.Hosts; i++ {
		h := &host{Name: wire.HostName(i), Address: wire.HostAddress(i), lab: s}
		s.hosts = append(s.hosts, h)
		all.Go(func() {
			if err := h.create(); err != nil {
				errs[i-1] = fmt.Errorf("%s: %w", h.Name, err)
			}
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

func (s *supervisor) host(name string) (*host, error) {
	for _, h := range s.hosts {
		if h.Name == name {
			return h, nil
		}
	}
	return nil, fmt.Errorf("this lab has no host %q; it has %s to %s", name, wire.HostName(1), wire.HostName(s.Hosts))
}

// watchStarter ends the lab when its starter is gone, unless told to stay.
func (s *supervisor) watchStarter(stdin *bufio.Reader) {
	line, err := stdin.ReadString('\n')
	if err == nil && line == wire.Stay+"\n" {
		return
	}
	if err != nil && !errors.Is(err, io.EOF) {
		log.Printf("reading from the starter: %v", err)
	}
	s.stop()
}

func (s *supervisor) watchSignals() {
	ch := make(chan os.Signal, 1)
	signal.Notify(ch, syscall.SIGTERM, syscall.SIGINT)
	<-ch
	s.stop()
}

func (s *supervisor) stop() { s.once.Do(func() { close(s.end) }) }

// clean ends all hosts and removes what outlives a process: cgroup directories and
// the lab's folder.
func (s *supervisor) clean() error {
	s.stop()
	errs := make([]error, len(s.hosts))
	var all sync.WaitGroup
	for i, h := range s.hosts {
		all.Go(func() { errs[i] = errors.Join(h.powerOff(), h.unmount()) })
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	if err := cgroup.Remove(s.Cgroup); err != nil {
		return err
	}
	return tree.Remove(s.Dir)
}
