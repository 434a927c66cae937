package apply

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sort"
	"sync"

	"github.com/pdprov/pdprov/engine/manifest"
	"github.com/pdprov/pdprov/engine/plan"
	"github.com/pdprov/pdprov/remote"
	"github.com/pdprov/pdprov/stages/stage"
)

// outcome of an entry.
type outcome int

const (
	skipped outcome = iota // the zero value: nothing that depends on it may run
	inSync
	done
	failed
	unknown
)

// node is one entry on its way.
type node struct {
	e       plan.Entry
	host    *hostRun
	deps    []*node
	after   []*node  // must have ended, however
	missing []string // dependencies on hosts that take no part
	ended   chan struct{}
	outcome outcome
}

// execute runs every entry as soon as what it needs has ended well.
func (r *runner) execute(ctx context.Context, p *plan.Plan) {
	nodes := r.graph(p)
	var wg sync.WaitGroup
	for _, n := range nodes {
		wg.Add(1)
		go func() {
			defer wg.Done()
			defer close(n.ended)
			n.outcome = r.turn(ctx, n)
			r.tally(n)
		}()
	}
	wg.Wait()
}

// graph links the entries. An entry on a host that --limit left out counts as done.
func (r *runner) graph(p *plan.Plan) []*node {
	byKey := map[string]*node{}
	var nodes []*node
	for _, e := range p.Entries {
		if e.Orphan() {
			continue
		}
		n := &node{e: e, host: r.hosts[e.Host], ended: make(chan struct{})}
		byKey[e.Host+"/"+e.Stage] = n
		nodes = append(nodes, n)
	}
	lost := map[string]bool{}
	for _, h := range p.Hosts {
		lost[h.Name] = h.State != plan.HostOK
	}
	for _, n := range nodes {
		for _, addr := range n.e.Needs {
			n.deps = append(n.deps, byKey[n.e.Host+"/"+addr])
		}
		for _, addr := range n.e.After {
			n.after = append(n.after, byKey[n.e.Host+"/"+addr])
		}
		for _, key := range n.e.Elsewhere {
			if dep, ok := byKey[key]; ok {
				n.deps = append(n.deps, dep)
			} else if host, _ := splitKey(key); lost[host] {
				n.missing = append(n.missing, key)
			}
		}
	}
	return nodes
}

// turn waits for what the entry needs, then runs it.
func (r *runner) turn(ctx context.Context, n *node) outcome {
	for _, earlier := range append(n.after, n.deps...) {
		select {
		case <-earlier.ended:
		case <-ctx.Done():
			return r.skip(n, "interrupted before its turn")
		}
	}
	why := n.missing
	for _, dep := range n.deps {
		if dep.outcome != done && dep.outcome != inSync {
			why = append(why, dep.e.Host+"/"+dep.e.Stage)
		}
	}
	switch {
	case n.e.Action == plan.Blocked && n.e.Certainty == plan.Certain:
		return r.blocked(n)
	case len(why) > 0:
		sort.Strings(why)
		return r.skip(n, "needs "+why[0]+", which did not end well")
	case ctx.Err() != nil:
		return r.skip(n, "interrupted before its turn")
	case n.e.Action == plan.None && n.e.Certainty == plan.Certain:
		n.host.keep(r.record(n.e))
		return inSync
	}
	return r.locked(ctx, n)
}

// blocked tells of an entry for which nothing is done, and which no earlier one can have
// changed: it is a failure when what was seen
// makes the stage impossible, and unknown when something could not be looked at.
func (r *runner) blocked(n *node) outcome {
	event, o := StageUnknown, unknown
	if n.e.Refused() {
		event, o = StageFailed, failed
	}
	err := fmt.Errorf("blocked: %s", evidence(n.e))
	r.fail(n.e.Host, n.e.Stage, err)
	r.emit(Event{Type: event, Host: n.e.Host, Stage: n.e.Stage, Error: err.Error()})
	return o
}

func (r *runner) skip(n *node, why string) outcome {
	if n.e.Action != plan.None {
		r.emit(Event{Type: StageSkipped, Host: n.e.Host, Stage: n.e.Stage, Message: why})
	}
	return skipped
}

// locked runs the entry while it holds what it shares with nobody: resources of the host,
// or all of it. What was shown decides: Exceeds refuses a reboot that only shows later.
func (r *runner) locked(ctx context.Context, n *node) outcome {
	defer n.host.hold(n.e.Work)()
	if n.host.adrift {
		return r.skip(n, "whether the host still goes down for a reboot is not known")
	}
	o, err := r.stage(ctx, n)
	if err == nil {
		return o
	}
	event := StageFailed
	o = failed
	if remote.IsUnknown(err) || errors.Is(err, errUnknown) || ctx.Err() != nil {
		event, o = StageUnknown, unknown
	}
	r.fail(n.e.Host, n.e.Stage, err)
	r.emit(Event{Type: event, Host: n.e.Host, Stage: n.e.Stage, Error: err.Error()})
	return o
}

// hold takes a share of the host, all of it for work that reboots it, then named resources
// in order, and returns what frees them. Nobody can wait for ever: an entry has seen those
// that it needs end before it holds anything here. Who waits for the host holds nothing.
// Who waits for a resource has a share, as has the one that holds it, who therefore waits
// for no share, and for later resources only. So whoever holds something goes on in the
// end, a reboot gets the host when those before it have ended, and those behind it wait.
func (h *hostRun) hold(work stage.Work) func() {
	names := append([]string(nil), work.Locks...)
	sort.Strings(names)
	held := []sync.Locker{h.share.RLocker()}
	if work.Impact == stage.Reboot {
		held[0] = &h.share
	}
	held[0].Lock()
	for _, name := range names {
		h.mu.Lock()
		m, ok := h.resources[name]
		if !ok {
			m = &sync.Mutex{}
			h.resources[name] = m
		}
		h.mu.Unlock()
		m.Lock()
		held = append(held, m)
	}
	return func() {
		for i := range held {
			held[len(held)-1-i].Unlock()
		}
	}
}

func (r *runner) tally(n *node) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch n.outcome {
	case inSync:
		r.summary.InSync++
	case done:
		r.summary.Done++
	case failed:
		r.summary.Failed++
	case unknown:
		r.summary.Unknown++
	default:
		r.summary.Skipped++
	}
}

// record is what the host should remember of an entry in sync; nil when it does already.
func (r *runner) record(e plan.Entry) *manifest.Record {
	if old, ok := r.hosts[e.Host].seen.Records[e.Stage]; ok && old.Matches(e.Asked, e.Want, e.Installed) {
		return nil
	}
	st, _ := r.d.Stage(e.Stage)
	salt := make([]byte, 16)
	rand.Read(salt)
	rec := manifest.New(e.Stage, st.Kind, e.Asked, e.Want, e.Installed, salt)
	rec.Run, rec.Owner = r.id, r.o.Owner+"@"+r.o.From
	return &rec
}

func (h *hostRun) keep(rec *manifest.Record) {
	if rec != nil {
		h.mu.Lock()
		h.remember = append(h.remember, *rec)
		h.mu.Unlock()
	}
}

func splitKey(key string) (host, addr string) {
	for i := range key {
		if key[i] == '/' {
			return key[:i], key[i+1:]
		}
	}
	return key, ""
}

// evidence is the first piece of evidence of an entry in words, what makes it
// impossible before what could not be looked at.
func evidence(e plan.Entry) string {
	for _, piece := range e.Evidence {
		if !e.Refused() || piece.Outcome == plan.FindingOutcome {
			return piece.Detail
		}
	}
	return "it could not be looked at"
}
