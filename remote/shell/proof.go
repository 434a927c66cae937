package shell

import (
	"context"
	"errors"
	"sync"

	"github.com/pdprov/pdprov/remote"
)

// Proof keeps a wrong password from being tried twice on one host, which could lock
// the account: until sudo took it once, one script at a time may try, and a refusal
// is final. A nil Proof holds nothing up.
type Proof struct {
	turn   chan struct{} // holds one value; who has it may read and change the rest
	proven bool
	denied *remote.ConnectError
}

// NewProof starts without knowing whether the password is right.
func NewProof() *Proof {
	p := &Proof{turn: make(chan struct{}, 1)}
	p.turn <- struct{}{}
	return p
}

// Try runs a script that may have to give the password. run must call started when
// the script runs: then the password was right or not needed. An error of ctx itself
// means that run was not called.
func (p *Proof) Try(ctx context.Context, run func(started func()) (remote.Result, error)) (remote.Result, error) {
	if p == nil {
		return run(func() {})
	}
	select {
	case <-p.turn:
	case <-ctx.Done():
		return remote.Result{}, ctx.Err()
	}
	pass := sync.OnceFunc(func() { p.turn <- struct{}{} })
	defer pass()
	if p.denied != nil {
		return remote.Result{}, p.denied
	}
	if p.proven {
		pass()
		return run(func() {})
	}
	result, err := run(func() {
		p.proven = true
		pass()
	})
	var refusal *remote.ConnectError
	if errors.As(err, &refusal) && refusal.Reason == remote.SudoDenied {
		p.denied = refusal
	}
	return result, err
}
