package apply

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"maps"
	"sync"
	"time"

	"github.com/pdprov/pdprov/engine/plan"
	"github.com/pdprov/pdprov/systemd/job"
)

// partner is what another host does beside an entry. The zero value is nothing.
type partner struct {
	once sync.Once
	stop func() string
	said string
}

// end ends the work of the other host and says how it went there, "" for a partner that
// does nothing.
func (p *partner) end() string {
	p.once.Do(func() {
		if p.stop != nil {
			p.said = p.stop()
		}
	})
	return p.said
}

const (
	partnerWait = 2 * time.Minute  // for a host that is about to reboot
	endWait     = 20 * time.Second // to end the work there; it has a deadline of its own
)

// partner starts what another host does beside an entry, and gives both a secret of this
// apply in their environment. Where that host cannot be reached any more its job ends by
// its own deadline.
func (r *runner) partner(ctx context.Context, e plan.Entry, env map[string]string) (map[string]string, *partner, error) {
	w := e.Work.Partner
	if w == nil {
		return env, &partner{}, nil
	}
	h := r.hosts[e.Partner]
	if h == nil || h.err != nil {
		return nil, nil, fmt.Errorf("%s works with this stage, and its host %s takes no part in this apply", w.Stage, e.Partner)
	}
	free, err := h.beside(ctx, w.Stage)
	if err != nil {
		return nil, nil, err
	}
	random := make([]byte, 16)
	rand.Read(random)
	secret := map[string]string{"PDPROV_PARTNER": hex.EncodeToString(random)}
	stop, err := r.startPartner(ctx, h, e, secret)
	if err != nil {
		free()
		return nil, nil, fmt.Errorf("starting what %s does for this on %s: %w", w.Stage, h.name, err)
	}
	both := maps.Clone(env)
	if both == nil {
		both = map[string]string{}
	}
	maps.Copy(both, secret)
	return both, &partner{stop: func() string { defer free(); return stop() }}, nil
}

// beside takes a share of a host for work that an entry of another host needs, and that no
// other does at the same time. It never waits without end: two hosts that wait for each
// other and for reboots could do so for ever.
func (h *hostRun) beside(ctx context.Context, addr string) (free func(), err error) {
	h.mu.Lock()
	m, ok := h.resources["partner "+addr]
	if !ok {
		m = &sync.Mutex{}
		h.resources["partner "+addr] = m
	}
	h.mu.Unlock()
	m.Lock()
	for since := time.Now(); !h.share.TryRLock(); {
		if time.Since(since) > partnerWait || ctx.Err() != nil {
			m.Unlock()
			return nil, fmt.Errorf("%s has to work with this, and its host %s is about to reboot", addr, h.name)
		}
		time.Sleep(200 * time.Millisecond)
	}
	free = func() { h.share.RUnlock(); m.Unlock() }
	if h.adrift {
		free()
		return nil, fmt.Errorf("%s has to work with this, and whether its host %s still goes down for a reboot is not known", addr, h.name)
	}
	return free, nil
}

// startPartner starts the job on the other host and passes its log on.
func (r *runner) startPartner(ctx context.Context, h *hostRun, e plan.Entry, env map[string]string) (stop func() string, err error) {
	if _, err := r.ours(ctx, h); err != nil {
		return nil, err
	}
	host, err := r.f.Host(ctx, h.name)
	if err != nil {
		return nil, err
	}
	mh, _ := r.d.Host(h.name)
	own := maps.Clone(mh.Environment)
	if own == nil {
		own = map[string]string{}
	}
	maps.Copy(own, env)
	h.worked.Store(true)
	ref, err := r.start(ctx, h, host, job.Spec{
		Run: r.id, Stage: e.Stage + " of " + e.Host, Owner: r.o.Owner + "@" + r.o.From,
		Steps: e.Work.Partner.Steps, Env: own, Timeout: time.Duration(e.Work.Partner.TimeoutSeconds) * time.Second,
	})
	if err != nil {
		return nil, err
	}
	log := newTail(r.hide(e.Work.Partner.Stage))
	following, leave := context.WithCancel(ctx)
	ended := make(chan string, 1)
	go func() {
		status, err := r.follow(following, h, host, ref, log)
		if err != nil {
			ended <- "is not known: " + err.Error()
			return
		}
		ended <- status.Result.Describe()
	}()
	return func() string {
		defer leave()
		short, cancel := context.WithTimeout(context.WithoutCancel(ctx), endWait)
		defer cancel()
		how := ""
		if err := job.Cancel(short, host, ref); err != nil {
			how = "could not be ended (" + err.Error() + ") and ends by its deadline"
			leave()
		}
		select {
		case said := <-ended:
			how = cmp.Or(how, said)
		case <-short.Done():
			leave()
			how = cmp.Or(how, <-ended)
		}
		return fmt.Sprintf("\non %s, what worked with it %s%s\nthe whole log: %s/log on %s", h.name, how, log, ref.Dir, h.name)
	}, nil
}
