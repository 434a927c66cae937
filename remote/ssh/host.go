package ssh

import (
	"context"
	"errors"
	"slices"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/pdprov/pdprov/remote"
	"github.com/pdprov/pdprov/remote/shell"
)

// maxSessions at one time on one link: above six sshd already refuses some.
const maxSessions = 6

// host is one host, over one link at a time; a lost one is made anew by the next Run, and
// so is one whose sshd allows fewer sessions than are needed.
type host struct {
	d        *Dialer
	s        *settings
	sudo     shell.Sudo
	proof    *shell.Proof // of the sudo password, nil when there is none
	sessions chan struct{}

	turn   chan struct{} // holds one value; who has it may read and change the rest
	link   *link
	links  []*link // all that may still carry sessions
	closed bool
}

func newHost(d *Dialer, s *settings, sudo bool) *host {
	h := &host{d: d, s: s, sessions: make(chan struct{}, maxSessions), turn: make(chan struct{}, 1)}
	h.turn <- struct{}{}
	switch {
	case sudo && d.o.SudoPassword != nil:
		h.sudo, h.proof = shell.WithPassword, shell.NewProof()
	case sudo:
		h.sudo = shell.WithoutPassword
	}
	return h
}

func (h *host) Name() string { return h.s.name }

// Close ends the link, and with it whatever runs over it.
func (h *host) Close() error {
	<-h.turn
	defer func() { h.turn <- struct{}{} }()
	h.closed = true
	for _, l := range h.links {
		l.end()
	}
	return nil
}

// connect makes sure that there is a link.
func (h *host) connect(ctx context.Context) error {
	l, err := h.use(ctx)
	if err == nil {
		l.leave()
	}
	return err
}

// use gives the link for one session, and makes it if there is none that lives.
func (h *host) use(ctx context.Context) (*link, error) {
	select {
	case <-h.turn:
	case <-ctx.Done():
		return nil, h.s.cancelled(ctx)
	}
	defer func() { h.turn <- struct{}{} }()
	if h.closed {
		return nil, &remote.ConnectError{Host: h.s.name, Reason: remote.Unreachable, Detail: "pdprov has closed the connection"}
	}
	if h.link != nil && h.link.use() {
		return h.link, nil
	}
	l, err := h.d.connect(ctx, h.s, []string{h.s.step()})
	if err != nil {
		return nil, err
	}
	h.link = l
	h.links = append(slices.DeleteFunc(h.links, (*link).ended), l)
	l.use()
	return l, nil
}

const (
	openTries = 8
	openPause = 100 * time.Millisecond
)

// begin starts a command line in a session. Nothing of the script is sent yet, so that
// everything here may be tried again: a link that died unnoticed once, and a session
// that sshd refuses a few times, because it frees ended ones late, or because the ones
// that run are the most that it allows on one link.
func (h *host) begin(ctx context.Context, line string) (*link, *session, error) {
	renewed := false
	for try := 1; ; try++ {
		l, err := h.use(ctx)
		if err != nil {
			return nil, nil, err
		}
		s, err := l.open(ctx, line, h.d.o.HandshakeTimeout)
		if err == nil {
			return l, s, nil
		}
		l.leave()
		var refused *ssh.OpenChannelError
		switch {
		case ctx.Err() != nil:
			return nil, nil, h.s.cancelled(ctx)
		case errors.As(err, &refused) && try < openTries:
			if try > 1 {
				l.full()
			}
			if wait(ctx, time.Duration(try)*openPause) != nil {
				return nil, nil, h.s.cancelled(ctx)
			}
		case !renewed && refused == nil:
			renewed = true
			l.retire()
			l.end()
		default:
			return nil, nil, h.noSession(err)
		}
	}
}

func (h *host) noSession(err error) error {
	return &remote.ConnectError{
		Host: h.s.name, Reason: remote.Refused, Err: err,
		Detail: h.s.address() + " accepts the login and opens no session: " + err.Error(),
		Remedy: "check MaxSessions and ForceCommand in the host's sshd_config",
	}
}
