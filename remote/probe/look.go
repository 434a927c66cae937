// Package probe asks a host many questions with one script over one session, and
// brings back an honest answer to each. It writes nothing on the host.
package probe

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/pdprov/pdprov/remote"
	"github.com/pdprov/pdprov/stages/stage"
)

// Options of a look.
type Options struct {
	// Deadline for one session; 0 allows for the longest probe and the way there.
	Deadline time.Duration
}

// maxQuestions run at one time; more are asked in further sessions.
const maxQuestions = 32

// grace is how much longer than its longest question a session may take.
const grace = 5 * time.Second

// Look asks all probes; each gets an answer. An error means that no session could be
// had or that the link was lost, so that nothing is known of the host. Probes that
// shared a process and could not be answered are asked again one by one, so that one
// bad argument does not hide the others.
func Look(ctx context.Context, h remote.Host, probes []stage.Probe, o Options) (stage.Facts, error) {
	facts := stage.Facts{}
	qs := questions(probes)
	if err := ask(ctx, h, qs, o, facts); err != nil {
		return nil, err
	}
	var again []question
	for _, q := range qs {
		if a := facts[q.ids[0]]; len(q.ids) > 1 && !a.Looked() {
			again = append(again, split(q)...)
		}
	}
	if err := ask(ctx, h, again, o, facts); err != nil {
		return nil, err
	}
	return facts, nil
}

// split makes a question of each probe that shared one.
func split(q question) (qs []question) {
	for _, p := range q.probes {
		single := question{script: q.script}
		single.add(p)
		qs = append(qs, single)
	}
	return qs
}

// ask puts questions to the host, some at a time, and adds the answers to facts.
func ask(ctx context.Context, h remote.Host, qs []question, o Options, facts stage.Facts) error {
	var short []question
	for _, q := range qs {
		if why := q.tooLong(); why != "" {
			spread(q, failed(0, why), facts)
			continue
		}
		short = append(short, q)
	}
	for len(short) > 0 {
		n := min(len(short), maxQuestions)
		if err := session(ctx, h, short[:n], o, facts); err != nil {
			return err
		}
		short = short[n:]
	}
	return nil
}

func spread(q question, a stage.Answer, facts stage.Facts) {
	for _, id := range q.ids {
		facts[id] = a
	}
}

// session asks questions in one session.
func session(ctx context.Context, h remote.Host, qs []question, o Options, facts stage.Facts) error {
	nonce, err := newNonce()
	if err != nil {
		return err
	}
	deadline := o.Deadline
	if deadline <= 0 {
		deadline = longest(qs) + grace
	}
	own, cancel := context.WithCancel(ctx)
	defer cancel()
	p := newParser(nonce, len(qs))
	stdin, hold := io.Pipe()
	go end(own, cancel, p.done, hold, deadline)
	res, err := h.Run(own, remote.Command{
		Script: batch(qs, nonce, int(deadline/time.Second)), Stdin: stdin, Stdout: p,
	})
	hold.Close()
	if err != nil && p.pending > 0 && own.Err() == nil {
		return err
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	missing := missingAnswer(res, err, deadline)
	for i, q := range qs {
		spread(q, p.raw[i].answer(q, missing), facts)
	}
	return nil
}

// end lets the host end the session when all answers are there or the deadline has
// passed, and gives the session up when the host does not.
func end(ctx context.Context, cancel func(), done <-chan struct{}, hold io.Closer, deadline time.Duration) {
	select {
	case <-done:
	case <-time.After(deadline):
	case <-ctx.Done():
	}
	hold.Close()
	select {
	case <-ctx.Done():
	case <-time.After(2 * time.Second):
		cancel()
	}
}

// missingAnswer is the answer of a question whose end did not come: the session
// ended before it, or it hangs.
func missingAnswer(res remote.Result, err error, deadline time.Duration) stage.Answer {
	if err == nil && (res.Exit != 0 || len(res.Stderr) > 0) {
		return failed(res.Exit, fmt.Sprintf("the look broke off with exit status %d%s", res.Exit, because(string(res.Stderr))))
	}
	detail := fmt.Sprintf("no answer within %s", deadline.Round(time.Second))
	if err != nil && !errors.Is(err, context.Canceled) {
		detail += because(err.Error())
	}
	return stage.Answer{Outcome: stage.Hung, Detail: detail}
}

func longest(qs []question) time.Duration {
	seconds := 0
	for _, q := range qs {
		seconds = max(seconds, q.timeout)
	}
	return time.Duration(seconds) * time.Second
}

func newNonce() (string, error) {
	b := make([]byte, 16)
	_, err := rand.Read(b)
	return hex.EncodeToString(b), err
}
