// Package local runs scripts on the machine that pdprov itself runs on.
package local

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"os/user"
	"syscall"

	"github.com/pdprov/pdprov/remote"
	"github.com/pdprov/pdprov/remote/shell"
)

type host struct {
	name     string
	sudo     shell.Sudo
	password func(host string) (string, error)
	proof    *shell.Proof // of the password, nil when there is none
}

// Option changes how scripts run.
type Option func(*host)

// SudoPassword is called when sudo asks; without it sudo must not ask.
func SudoPassword(password func(host string) (string, error)) Option {
	return func(h *host) { h.password = password }
}

// New gives this machine under a name of the plan; with sudo its scripts run as root.
func New(name string, sudo bool, options ...Option) (remote.Host, error) {
	h := &host{name: name}
	for _, o := range options {
		o(h)
	}
	switch {
	case sudo && h.password != nil:
		h.sudo, h.proof = shell.WithPassword, shell.NewProof()
	case sudo:
		h.sudo = shell.WithoutPassword
	}
	return h, nil
}

func (h *host) Name() string { return h.name }
func (h *host) Close() error { return nil }

// Run runs one script in a process group of its own; the end of ctx kills the group.
func (h *host) Run(ctx context.Context, cmd remote.Command) (remote.Result, error) {
	if cmd.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, cmd.Timeout)
		defer cancel()
	}
	result, err := h.proof.Try(ctx, func(started func()) (remote.Result, error) { return h.run(ctx, cmd, started) })
	if err != nil && err == ctx.Err() {
		err = h.refused(&remote.ConnectError{Reason: remote.TimedOut, Detail: "given up while another script tries the password", Err: err})
	}
	return result, err
}

func (h *host) refused(e *remote.ConnectError) error {
	e.Host = h.name
	return e
}

func (h *host) run(ctx context.Context, cmd remote.Command, started func()) (remote.Result, error) {
	start := shell.NewStart(cmd.Script, h.sudo)
	talk := shell.NewTalk(start, cmd, shell.Hooks{
		Password: func() (string, error) { return h.password(h.name) }, Started: started,
	})
	p, err := begin(start.Argv())
	if err != nil {
		return remote.Result{}, h.refused(&remote.ConnectError{Reason: remote.NoShell, Detail: "no process could be started: " + err.Error(), Err: err})
	}
	over := make(chan error, 1)
	go func() {
		talk.Run(p.stdin, p.stdout, p.stderr)
		over <- p.cmd.Wait()
	}()
	select {
	case waited := <-over:
		return h.result(talk, waited)
	case <-ctx.Done():
		p.cancel(over)
		talk.Stop()
		return remote.Result{}, &remote.TransportError{Host: h.name, Op: "running the script", Err: ctx.Err()}
	}
}

func (h *host) result(talk *shell.Talk, waited error) (remote.Result, error) {
	exit, signal, err := status(waited)
	if err != nil {
		return remote.Result{}, &remote.TransportError{Host: h.name, Op: "waiting for the script", Err: err}
	}
	select {
	case <-talk.Started():
	default:
		return remote.Result{}, h.refused(talk.Refusal(exit, userName()))
	}
	result, err := talk.Result()
	result.Exit, result.Signal = exit, signal
	if err != nil {
		err = fmt.Errorf("%s: keeping the output of a script: %w", h.name, err)
	}
	return result, err
}

func userName() string {
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return "USER"
}

func status(waited error) (exit int, signal string, err error) {
	if waited == nil {
		return 0, "", nil
	}
	var ended *exec.ExitError
	if !errors.As(waited, &ended) {
		return 0, "", waited
	}
	w := ended.Sys().(syscall.WaitStatus)
	if w.Signaled() {
		return 128 + int(w.Signal()), signalName(w.Signal()), nil
	}
	return w.ExitStatus(), "", nil
}
