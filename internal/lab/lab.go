// Package lab gives disposable hosts with a real systemd as first process and a real
// sshd, in a private network on this machine, and leaves nothing behind when they go.
package lab

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/pdprov/pdprov/internal/lab/baseroot"
	"github.com/pdprov/pdprov/internal/lab/cgroup"
	"github.com/pdprov/pdprov/internal/lab/wire"
)

// Options of Up. The zero value is one plain host in DefaultDir that ends with its starter.
type Options struct {
	Dir     string    // the lab's folder; must not exist or be empty
	Hosts   int       // 0 means 1
	Profile string    // "" means "plain"
	VM      bool      // the one host is an emulated machine with a kernel and two NUMA nodes of its own
	Log     io.Writer // what is being done; nil is silence
	Program string    // the pdlab binary; "" means PDLAB_BIN, or one that is built from source
	Stay    bool      // go on after the end of this process, until Down
}

// Lab is a running lab. It is safe for use by several goroutines.
type Lab struct {
	dir      string
	state    wire.State
	lifeline io.Closer       // nil unless this process started the lab and it does not stay
	ended    <-chan struct{} // nil unless this process started the lab
}

// DefaultDir is PDLAB_DIR or /var/tmp/pdlab.
func DefaultDir() string {
	if dir := os.Getenv("PDLAB_DIR"); dir != "" {
		return dir
	}
	return "/var/tmp/pdlab"
}

// Up starts a lab and returns when all its hosts answer on their ssh port. The first
// lab on a machine waits for the base root to be built.
func Up(ctx context.Context, o Options) (*Lab, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	if err := o.missing(); err != nil {
		return nil, err
	}
	if err := cgroup.Sweep(); err != nil {
		fmt.Fprintf(o.Log, "control groups of a dead lab stay behind: %v\n", err)
	}
	base, err := baseroot.Ensure(ctx, o.Log)
	if err == nil && o.VM {
		base, err = baseroot.EnsureVM(ctx, o.Log, base)
	}
	if err != nil {
		return nil, err
	}
	return launch(ctx, o, base)
}

func (o Options) complete() (Options, error) {
	if o.Dir == "" {
		o.Dir = DefaultDir()
	}
	dir, err := realPath(o.Dir)
	if err != nil {
		return o, err
	}
	o.Dir = dir
	if o.Hosts == 0 {
		o.Hosts = 1
	}
	if o.Hosts < 0 || o.Hosts > wire.MaxHosts {
		return o, fmt.Errorf("%d hosts: a lab has 1 to %d", o.Hosts, wire.MaxHosts)
	}
	if o.Log == nil {
		o.Log = io.Discard
	}
	p, err := FindProfile(o.Profile)
	o.Profile = p.Name
	if o.VM && (o.Hosts > 1 || p.Name != Profiles()[0].Name) {
		return o, fmt.Errorf("a lab with a virtual machine has this one host only, of profile %s", Profiles()[0].Name)
	}
	return o, err
}

// realPath resolves links in what exists of a path.
func realPath(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	real, err := filepath.EvalSymlinks(path)
	if errors.Is(err, os.ErrNotExist) && path != "/" {
		parent, err := realPath(filepath.Dir(path))
		return filepath.Join(parent, filepath.Base(path)), err
	}
	return real, err
}

// Open finds the running lab of a folder; "" means DefaultDir.
func Open(dir string) (*Lab, error) {
	if dir == "" {
		dir = DefaultDir()
	}
	dir, err := realPath(dir)
	if err != nil {
		return nil, err
	}
	state, err := readState(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("no lab in %s; start one with: pdlab up --dir %s", dir, dir)
	}
	if errors.Is(err, os.ErrPermission) {
		return nil, errNotRoot
	}
	if err != nil {
		return nil, err
	}
	if !state.Supervisor.Alive() {
		return nil, fmt.Errorf("the lab in %s is dead (its supervisor, process %d, is gone); pdlab down clears it away", dir, state.Supervisor.Pid)
	}
	return &Lab{dir: dir, state: state}, nil
}

// Dir is the lab's folder.
func (l *Lab) Dir() string { return l.dir }

// SSHConfig is the path of a configuration for ssh -F that knows all hosts.
func (l *Lab) SSHConfig() string { return filepath.Join(l.dir, wire.SSHConfig) }

// KnownHosts is the path of a file with the host keys.
func (l *Lab) KnownHosts() string { return filepath.Join(l.dir, wire.KnownHosts) }

// Identity is the path of the private key that root of every host accepts; its public
// half is beside it, with .pub.
func (l *Lab) Identity() string { return filepath.Join(l.dir, wire.Identity) }

// Profile is the lab's profile.
func (l *Lab) Profile() (Profile, error) { return FindProfile(l.state.Profile) }

// Host returns a host by name. A name that the lab does not have gives a host whose
// methods all fail and say so.
func (l *Lab) Host(name string) *Host {
	for _, h := range l.Hosts() {
		if h.Name == name {
			return h
		}
	}
	return &Host{Name: name, lab: l}
}

// Hosts lists all hosts, h1 first.
func (l *Lab) Hosts() []*Host {
	var hosts []*Host
	for i := 1; i <= l.state.Hosts; i++ {
		hosts = append(hosts, &Host{Name: wire.HostName(i), Address: wire.HostAddress(i), lab: l})
	}
	return hosts
}

// Down ends the lab and returns when all of it is gone: processes, mounts, links,
// control groups, its folder.
func (l *Lab) Down() error {
	_, err := l.ask(wire.Request{Op: wire.OpDown})
	if err != nil && l.lifeline != nil {
		l.lifeline.Close()
	}
	if !l.waitEnd(30 * time.Second) {
		kill(l.state.Supervisor)
		if !l.waitEnd(10 * time.Second) {
			return fmt.Errorf("supervisor %d of the lab in %s does not end, not even when killed", l.state.Supervisor.Pid, l.dir)
		}
	}
	return Clear(l.dir)
}
