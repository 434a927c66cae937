package shell

import (
	"context"

	"github.com/pdprov/pdprov/remote"
)

// Proof keeps a wrong password from being tried twice on one host, which could lock
// the account: until sudo took it once, one script at a time may try, and a refusal
// is final.
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

// Attempt is one script that may have to give the password.
type Attempt struct {
	p      *Proof
	tested bool
}

// Enter waits for the attempt before it. The error is ctx's, or the refusal that an
// earlier script met.
func (p *Proof) Enter(ctx context.Context) (*Attempt, error) {
	select {
	case <-p.turn:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if p.denied != nil || p.proven {
		p.turn <- struct{}{}
		if p.denied != nil {
			return nil, p.denied
		}
		return &Attempt{p: p}, nil
	}
	return &Attempt{p: p, tested: true}, nil
}

// Started notes that the script runs, so that the password was right or not needed.
func (a *Attempt) Started() { a.leave(true, nil) }

// End must be called when the script has ended or did not start; refusal is nil
// unless sudo refused.
func (a *Attempt) End(refusal *remote.ConnectError) { a.leave(false, refusal) }

func (a *Attempt) leave(proven bool, refusal *remote.ConnectError) {
	if !a.tested {
		return
	}
	a.tested = false
	a.p.proven, a.p.denied = proven, refusal
	a.p.turn <- struct{}{}
}
