package ssh

import (
	"context"
	"sync"

	"github.com/pdprov/pdprov/remote"
)

// Dialer makes connections and holds what they share: the configuration, keys that
// were unlocked, and the bound on connection starts. It is safe for use by several
// goroutines.
type Dialer struct {
	o      Options
	starts chan struct{}
	keys   keyRing

	configOnce  sync.Once
	configLines []configLine
	configErr   error

	warned  sync.Map   // warnings that were given: each is given once a run
	asking  sync.Mutex // a person is asked one thing at a time
	writing sync.Mutex // of new host keys
}

// NewDialer prepares a dialer; it reads no file and makes no connection yet.
func NewDialer(o Options) *Dialer {
	d := &Dialer{o: o.complete()}
	d.starts = make(chan struct{}, d.o.Starts)
	d.keys = keyRing{files: map[string]*keyFile{}}
	return d
}

// Dial connects to a host. An error is a *remote.ConnectError.
func (d *Dialer) Dial(ctx context.Context, t Target) (remote.Host, error) {
	s, err := d.settings(t)
	if err != nil {
		return nil, err
	}
	h := newHost(d, s, t.Sudo)
	if err := h.connect(ctx); err != nil {
		return nil, err
	}
	return h, nil
}

func (d *Dialer) warn(text string) {
	if _, before := d.warned.LoadOrStore(text, true); !before {
		d.o.Log(text)
	}
}

// ask asks the person; it may take minutes.
func (d *Dialer) ask(prompt string) (string, error) {
	d.asking.Lock()
	defer d.asking.Unlock()
	return d.o.Ask(prompt)
}

func (d *Dialer) sudoPassword(host string) (string, error) {
	d.asking.Lock()
	defer d.asking.Unlock()
	return d.o.SudoPassword(host)
}
