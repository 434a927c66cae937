package ssh

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/pdprov/pdprov/remote"
	"github.com/pdprov/pdprov/remote/shell"
)

// Run runs one script in a session of its own. It returns when the script has ended
// and nothing holds its output any more. The end of ctx ends the session, not the
// script: whoever must stop that does so by an action on the host.
func (h *host) Run(ctx context.Context, cmd remote.Command) (remote.Result, error) {
	if cmd.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, cmd.Timeout)
		defer cancel()
	}
	select {
	case h.sessions <- struct{}{}:
		defer func() { <-h.sessions }()
	case <-ctx.Done():
		return remote.Result{}, h.s.cancelled(ctx)
	}
	result, err := h.proof.Try(ctx, func(started func()) (remote.Result, error) { return h.run(ctx, cmd, started) })
	if err != nil && err == ctx.Err() {
		err = h.s.cancelled(ctx)
	}
	return result, err
}

func (h *host) run(ctx context.Context, cmd remote.Command, started func()) (remote.Result, error) {
	start := shell.NewStart(cmd.Script, h.sudo)
	l, s, err := h.begin(ctx, start.Line())
	if err != nil {
		return remote.Result{}, err
	}
	asking := make(chan bool, 2)
	talk := shell.NewTalk(start, cmd, shell.Hooks{Started: started, Password: func() (string, error) {
		asking <- true
		defer func() { asking <- false }()
		return h.d.sudoPassword(h.s.name)
	}})
	over := make(chan error, 1)
	go func() {
		talk.Run(s.stdin, s.stdout, s.stderr)
		over <- s.Wait()
	}()
	ended, err := h.follow(ctx, talk, over, asking)
	if err != nil {
		l.abandon(s, talk, over)
		return remote.Result{}, h.givenUp(ctx, talk, err)
	}
	defer l.leave()
	return h.result(l, talk, ended)
}

var errNoStart = errors.New("the login shell did not start it")

// follow waits for the end of a talk and for no longer than it may take; an error
// means that it is to be given up. ended is how the session ended.
func (h *host) follow(ctx context.Context, talk *shell.Talk, over <-chan error, asking <-chan bool) (ended, err error) {
	limit := time.NewTimer(h.d.o.HandshakeTimeout)
	defer limit.Stop()
	begun := talk.Started()
	for {
		select {
		case ended = <-over:
			return ended, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-begun:
			begun = nil
			limit.Stop()
		case <-limit.C:
			return nil, errNoStart
		case now := <-asking: // a person may take minutes
			limit.Stop()
			if !now {
				limit.Reset(h.d.o.HandshakeTimeout)
			}
		}
	}
}

// givenUp tells a script that may have run from one that was not even sent.
func (h *host) givenUp(ctx context.Context, talk *shell.Talk, err error) error {
	if errors.Is(err, errNoStart) {
		err = fmt.Errorf("%w within %s%s", err, h.d.o.HandshakeTimeout, talk.Evidence())
	}
	switch {
	case talk.Sent():
		return h.lost("running a script", err)
	case ctx.Err() != nil:
		return h.s.cancelled(ctx)
	}
	return &remote.ConnectError{
		Host: h.s.name, Reason: remote.SudoDenied, Err: err,
		Detail: fmt.Sprintf("sudo does not go on for user %s: %s", h.s.user, err),
		Remedy: "sudo must ask for nothing but the password; see what it asks in a terminal on the host",
	}
}

// abandon leaves a session in the middle. sshd confirms that only when the script has
// ended, so nothing waits for it: the link takes no more sessions, and ends with the
// last that it has. Until then what is left of this one waits, and drops what it hears.
func (l *link) abandon(s *session, talk *shell.Talk, over <-chan error) {
	l.retire()
	go s.Close() // on a dead link this waits, too
	talk.Stop()
	if l.leave() {
		<-over
	}
}

// result tells a script that ended from one that did not start and from a lost link.
func (h *host) result(l *link, talk *shell.Talk, ended error) (remote.Result, error) {
	var status *ssh.ExitError
	if ended != nil && !errors.As(ended, &status) {
		return remote.Result{}, h.lost("running a script", l.whyGone(ended)) // sent or not: nobody knows
	}
	exit, signal := 0, ""
	if status != nil {
		exit, signal = status.ExitStatus(), status.Signal()
	}
	select {
	case <-talk.Started():
	default:
		refusal := talk.Refusal(exit, h.s.user)
		refusal.Host = h.s.name
		refusal.Detail = fmt.Sprintf("%s@%s: %s", h.s.user, h.s.address(), refusal.Detail)
		return remote.Result{}, refusal
	}
	result, err := talk.Result()
	result.Exit, result.Signal = exit, signal
	if err != nil {
		err = fmt.Errorf("%s: keeping the output of a script: %w", h.s.name, err)
	}
	return result, err
}

func (h *host) lost(op string, err error) error {
	return &remote.TransportError{Host: h.s.name, Op: op, Err: err}
}
