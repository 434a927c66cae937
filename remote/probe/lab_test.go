package probe_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pdprov/pdprov/internal/lab"
	"github.com/pdprov/pdprov/remote"
	"github.com/pdprov/pdprov/remote/probe"
	"github.com/pdprov/pdprov/remote/ssh"
	"github.com/pdprov/pdprov/stages/stage"
)

// TestOverSSH looks at lab hosts the way pdprov does.
func TestOverSSH(t *testing.T) {
	lab.Require(t)
	l := lab.ForTest(t, 4)
	t.Run("many hosts", func(t *testing.T) { manyHosts(t, l) })
	t.Run("one link", func(t *testing.T) { oneLink(t, l) })
	t.Run("cut", func(t *testing.T) {
		cut(t, l, ssh.Options{KeepAlive: time.Second}, probe.Options{})
	})
	t.Run("cut and not noticed", func(t *testing.T) {
		cut(t, l, ssh.Options{KeepAlive: time.Hour}, probe.Options{Deadline: 4 * time.Second})
	})
	t.Run("given up", func(t *testing.T) { givenUp(t, l) })
}

func dial(t *testing.T, l *lab.Lab, name string, o ssh.Options) remote.Host {
	t.Helper()
	o.ConfigFile, o.DialContext, o.ConnectTimeout = l.SSHConfig(), l.DialContext, 2*time.Second
	h, err := ssh.NewDialer(o).Dial(t.Context(), ssh.Target{Name: name, Address: name})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	return h
}

// manyHosts: every question gets the answer of its own host and of no other question.
func manyHosts(t *testing.T, l *lab.Lab) {
	var wg sync.WaitGroup
	for _, box := range l.Hosts() {
		h := dial(t, l, box.Name, ssh.Options{})
		wg.Go(func() {
			var probes []stage.Probe
			for i := range 150 {
				script := fmt.Sprintf("cat /etc/hostname; echo %d; head -c 20000 /dev/zero", i)
				probes = append(probes, stage.Probe{ID: fmt.Sprint(i), Script: script, Quick: i%2 == 0, TimeoutSeconds: 60})
			}
			facts, err := probe.Look(t.Context(), h, probes, probe.Options{})
			if err != nil {
				t.Error(err)
			}
			for i := range 150 {
				want := fmt.Sprintf("%s\n%d\n%s", box.Name, i, strings.Repeat("\x00", 20000))
				if a := facts.Get(fmt.Sprint(i)); a.Outcome != stage.Answered || string(a.Body) != want {
					t.Errorf("%s %d: %s %s %.40q", box.Name, i, a.Outcome, a.Detail, a.Body)
				}
			}
		})
	}
	wg.Wait()
}

// oneLink: a question that hangs, leaves processes or floods costs no login.
func oneLink(t *testing.T, l *lab.Lab) {
	h := dial(t, l, "h1", ssh.Options{})
	who := stage.Probe{ID: "who", Script: "pgrep -x sshd"}
	ask := func(probes ...stage.Probe) stage.Facts {
		facts, err := probe.Look(t.Context(), h, probes, probe.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return facts
	}
	before := ask(who)
	facts := ask(
		stage.Probe{ID: "hangs", Script: "trap '' TERM; sleep 600 & wait", TimeoutSeconds: 1},
		stage.Probe{ID: "escapes", Script: "setsid sleep 20 & wait", TimeoutSeconds: 1},
		stage.Probe{ID: "floods", Script: "head -c 60000000 /dev/urandom", TimeoutSeconds: 30},
		stage.Probe{ID: "ok", Script: "echo ok"},
	)
	for id, want := range map[string]stage.Outcome{"hangs": stage.Hung, "escapes": stage.Hung, "floods": stage.Failed, "ok": stage.Answered} {
		if a := facts.Get(id); a.Outcome != want {
			t.Errorf("%s: %s %s, want %s", id, a.Outcome, a.Detail, want)
		}
	}
	after := ask(who)
	if a, b := before.Get("who"), after.Get("who"); !a.Looked() || string(a.Body) != string(b.Body) {
		t.Errorf("the link is another one: %q, then %q (%s)", a.Body, b.Body, b.Detail)
	}
}

// cut: a link that is lost in the middle of a look is an error, however it is noticed,
// and what was asked ends on the host.
func cut(t *testing.T, l *lab.Lab, so ssh.Options, po probe.Options) {
	box := l.Host("h2")
	h := dial(t, l, box.Name, so)
	t.Cleanup(func() { box.Mend() })
	begun := time.AfterFunc(time.Second, func() { box.Cut() })
	defer begun.Stop()
	facts, err := probe.Look(t.Context(), h, []stage.Probe{
		{ID: "early", Script: "echo early"},
		{ID: "late", Script: "sleep 3.25; echo late", TimeoutSeconds: 5},
	}, po)
	if !remote.IsUnknown(err) || facts != nil {
		t.Errorf("%v, %v", facts, err)
	}
	quiet(t, box, "sleep 3.25")
	if err := box.Mend(); err != nil {
		t.Fatal(err)
	}
	quiet(t, box, "timeout [0-9]* /bin/sh")
	if err := box.WaitSSH(t.Context()); err != nil {
		t.Error(err)
	}
	again := dial(t, l, box.Name, so)
	facts, err = probe.Look(t.Context(), again, []stage.Probe{{ID: "a", Script: "echo hello"}}, po)
	if err != nil || !facts.Get("a").Looked() {
		t.Errorf("after it was mended: %v, %v", facts, err)
	}
}

// givenUp: what the person interrupts returns soon and leaves nothing on the host.
func givenUp(t *testing.T, l *lab.Lab) {
	h := dial(t, l, "h3", ssh.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(time.Second, cancel)
	_, err := probe.Look(ctx, h, []stage.Probe{{ID: "a", Script: "sleep 3.5", TimeoutSeconds: 5}}, probe.Options{})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	quiet(t, l.Host("h3"), "sleep 3.5")
	quiet(t, l.Host("h3"), "timeout [0-9]* /bin/sh")
}

// quiet waits until no process of a host has a command line like this.
func quiet(t *testing.T, box *lab.Host, pattern string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if out, err := box.Exec(ctx, "sh", "-c", `while pgrep -f "^$1" >/dev/null; do sleep 0.1; done`, "sh", pattern); err != nil {
		t.Errorf("%s still runs: %v\n%s", pattern, err, out)
	}
}
