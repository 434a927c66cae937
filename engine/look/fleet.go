// Package look goes to hosts and brings back what they say: one look a host, all
// hosts side by side.
package look

import (
	"context"
	"fmt"
	"sync"

	"github.com/pdprov/pdprov/hcl/model"
	"github.com/pdprov/pdprov/remote"
	"github.com/pdprov/pdprov/remote/local"
	"github.com/pdprov/pdprov/remote/ssh"
)

// FleetOptions say how hosts are reached.
type FleetOptions struct {
	SSH      ssh.Options
	Parallel int // hosts at one time; 0 means 16
}

// Fleet holds at most one connection a host, made when it is first asked for.
type Fleet struct {
	d      *model.Deployment
	dialer *ssh.Dialer
	sudo   func(host string) (string, error) // nil knows no password
	slots  chan struct{}

	mu    sync.Mutex
	hosts map[string]*connection
}

type connection struct {
	mu   sync.Mutex
	host remote.Host
}

// NewFleet prepares connections to the hosts of a deployment; it connects to none.
func NewFleet(d *model.Deployment, o FleetOptions) *Fleet {
	if o.Parallel <= 0 {
		o.Parallel = 16
	}
	return &Fleet{
		d: d, dialer: ssh.NewDialer(o.SSH), sudo: o.SSH.SudoPassword,
		slots: make(chan struct{}, o.Parallel), hosts: map[string]*connection{},
	}
}

// Deployment is what the fleet was made for.
func (f *Fleet) Deployment() *model.Deployment { return f.d }

// Host is the connection to a host by its name; a failed attempt is made again
// at the next call.
func (f *Fleet) Host(ctx context.Context, name string) (remote.Host, error) {
	h, ok := f.d.Host(name)
	if !ok {
		return nil, fmt.Errorf("no host %q in the plan", name)
	}
	c := f.connection(name)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.host != nil {
		return c.host, nil
	}
	var err error
	c.host, err = f.dial(ctx, h)
	return c.host, err
}

func (f *Fleet) dial(ctx context.Context, h *model.Host) (remote.Host, error) {
	if h.Address == "local" {
		if f.sudo == nil {
			return local.New(h.Name, h.Sudo)
		}
		return local.New(h.Name, h.Sudo, local.SudoPassword(f.sudo))
	}
	return f.dialer.Dial(ctx, ssh.Target{
		Name: h.Name, Address: h.Address, User: h.User,
		Port: h.Port, Identity: h.Identity, Sudo: h.Sudo,
	})
}

func (f *Fleet) connection(name string) *connection {
	f.mu.Lock()
	defer f.mu.Unlock()
	c, ok := f.hosts[name]
	if !ok {
		c = &connection{}
		f.hosts[name] = c
	}
	return c
}

// Each runs fn for every name, at most Parallel at one time, and returns when all have ended.
func (f *Fleet) Each(names []string, fn func(name string)) {
	var wg sync.WaitGroup
	for _, name := range names {
		wg.Add(1)
		go func() {
			defer wg.Done()
			f.slots <- struct{}{}
			defer func() { <-f.slots }()
			fn(name)
		}()
	}
	wg.Wait()
}

// Close ends every connection.
func (f *Fleet) Close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range f.hosts {
		c.mu.Lock()
		if c.host != nil {
			c.host.Close()
			c.host = nil
		}
		c.mu.Unlock()
	}
}
