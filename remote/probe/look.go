// Package probe asks a host many questions with one script over one session, and
// brings back an honest answer to each. It writes nothing on the host.
package probe

import (
	"context"
	"crypto/rand"
	"encoding/hex"
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
// had or that the link was lost, so that nothing is known of the host. What shared a
// process and could not be answered is asked again with less company, and in the end
// one by one, so that one bad argument does not hide the others.
func Look(ctx context.Context, h remote.Host, probes []stage.Probe, o Options) (stage.Facts, error) {
	sep, err := newNonce()
	if err != nil {
		return nil, err
	}
	facts := stage.Facts{}
	for qs := group(questions(probes), sep); len(qs) > 0; {
		answers, err := ask(ctx, h, qs, o)
		if err != nil {
			return nil, err
		}
		qs = settle(qs, answers, sep, facts)
	}
	return facts, nil
}

// settle keeps the answers and returns what has to be asked again with less company.
func settle(qs []question, answers []stage.Answer, sep string, facts stage.Facts) (again []question) {
	for i, q := range qs {
		switch {
		case len(q.members) > 0:
			for j, a := range ungroup(q, answers[i], sep) {
				if a.Looked() {
					spread(q.members[j], a, facts)
				} else {
					again = append(again, q.members[j])
				}
			}
		case len(q.ids) > 1 && !answers[i].Looked():
			again = append(again, split(q)...)
		default:
			spread(q, answers[i], facts)
		}
	}
	return again
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

// ask puts questions to the host, some at a time, and returns their answers.
func ask(ctx context.Context, h remote.Host, qs []question, o Options) ([]stage.Answer, error) {
	answers := make([]stage.Answer, len(qs))
	var short []int
	for i, q := range qs {
		if why := q.tooLong(); why != "" {
			answers[i] = failed(0, why)
			continue
		}
		short = append(short, i)
	}
	for len(short) > 0 {
		now := short[:min(len(short), maxQuestions)]
		if err := session(ctx, h, qs, now, o, answers); err != nil {
			return nil, err
		}
		short = short[len(now):]
	}
	return answers, nil
}

func spread(q question, a stage.Answer, facts stage.Facts) {
	for _, id := range q.ids {
		facts[id] = a
	}
}

// session asks the questions with the numbers given in one session.
func session(ctx context.Context, h remote.Host, all []question, numbers []int, o Options, answers []stage.Answer) error {
	qs := make([]question, len(numbers))
	for i, n := range numbers {
		qs[i] = all[n]
	}
	nonce, err := newNonce()
	if err != nil {
		return err
	}
	deadline := o.Deadline
	if deadline <= 0 {
		deadline = longest(qs) + grace
	}
	hurry(qs, deadline)
	own, cancel := context.WithCancel(ctx)
	defer cancel()
	p := newParser(nonce, qs)
	stdin, hold := io.Pipe()
	go end(own, cancel, p.done, hold, deadline)
	began := time.Now()
	res, err := h.Run(own, remote.Command{
		Script: batch(qs, nonce, int(deadline/time.Second)), Stdin: stdin, Stdout: p,
	})
	took := time.Since(began)
	hold.Close()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err == nil || p.pending == 0:
	case own.Err() == nil:
		return err
	default: // the host did not end the session: is it there at all?
		if _, err := h.Run(ctx, remote.Command{Script: ":", Timeout: grace}); err != nil {
			return err
		}
	}
	missing := missingAnswer(res, err, took, deadline)
	for i, n := range numbers {
		answers[n] = p.raw[i].answer(qs[i], missing)
	}
	return nil
}

// hurry lets no question run for longer than its session, so that nothing runs on.
func hurry(qs []question, deadline time.Duration) {
	for i := range qs {
		qs[i].timeout = min(qs[i].timeout, max(1, int(deadline/time.Second)-1))
	}
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
func missingAnswer(res remote.Result, err error, took, deadline time.Duration) stage.Answer {
	if err == nil && (res.Exit != 0 || took < deadline) {
		return failed(res.Exit, fmt.Sprintf("the look broke off with exit status %d%s", res.Exit, because(string(res.Stderr))))
	}
	return stage.Answer{Outcome: stage.Hung, Detail: fmt.Sprintf("no answer within %s", deadline.Round(time.Second))}
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
