package lock_test

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pdprov/pdprov/internal/posixsh"
	"github.com/pdprov/pdprov/remote"
	"github.com/pdprov/pdprov/remote/local"
	"github.com/pdprov/pdprov/remote/lock"
	"github.com/pdprov/pdprov/remote/probe"
	"github.com/pdprov/pdprov/stages/stage"
	"github.com/pdprov/pdprov/stages/stagetest"
)

// here is this machine with the lock's file in a folder of the test.
type here struct {
	remote.Host
	path  string
	shell []string // that runs the scripts; none is /bin/sh
}

func (h here) Run(ctx context.Context, c remote.Command) (remote.Result, error) {
	c.Script = strings.ReplaceAll(c.Script, lock.Path, h.path)
	if len(h.shell) > 0 {
		c.Script = "exec " + posixsh.Words(append(h.shell, "-c", c.Script)...)
	}
	return h.Host.Run(ctx, c)
}

func newHere(t *testing.T, shell ...string) here {
	t.Helper()
	if _, err := exec.LookPath("flock"); err != nil {
		t.Skip("flock is not installed")
	}
	h, err := local.New("here", false)
	if err != nil {
		t.Fatal(err)
	}
	return here{h, t.TempDir() + "/lock", shell}
}

var (
	alice = lock.Holder{Owner: "alice", From: "laptop", PID: 7, Doing: "apply", Run: "r1"}
	bob   = lock.Holder{Owner: "bob", From: "desk", PID: 8, Doing: "unlock"}
)

func look(t *testing.T, h remote.Host) (lock.Holder, bool) {
	t.Helper()
	p := lock.Probe()
	facts, err := probe.Look(context.Background(), h, []stage.Probe{p}, probe.Options{})
	if err != nil || !facts.Get(p.ID).Looked() {
		t.Fatalf("%v %+v", err, facts)
	}
	return lock.Parse(facts.Get(p.ID))
}

func TestOneHolder(t *testing.T) {
	h := newHere(t)
	if _, held := look(t, h); held {
		t.Error("held before anybody took it")
	}
	l, err := lock.Acquire(context.Background(), h, alice, lock.Options{})
	if err != nil {
		t.Fatal(err)
	}
	who, held := look(t, h)
	if !held || who.Owner != "alice" || who.From != "laptop" || who.Since == "" {
		t.Errorf("held %v by %+v", held, who)
	}
	_, err = lock.Acquire(context.Background(), h, lock.Holder{Owner: "bob"}, lock.Options{})
	var other *lock.HeldError
	if !errors.As(err, &other) || other.Holder.Owner != "alice" {
		t.Errorf("bob got %v", err)
	}
	l.Release()
	if _, held := look(t, h); held {
		t.Error("held after its release")
	}
	l, err = lock.Acquire(context.Background(), h, lock.Holder{Owner: "bob"}, lock.Options{})
	if err != nil {
		t.Fatal(err)
	}
	l.Release()
}

func TestRace(t *testing.T) {
	h := newHere(t)
	for range 20 {
		var wg sync.WaitGroup
		locks := make(chan *lock.Lock, 4)
		for range 4 {
			wg.Add(1)
			go func() {
				defer wg.Done()
				if l, err := lock.Acquire(context.Background(), h, alice, lock.Options{}); err == nil {
					locks <- l
				}
			}()
		}
		wg.Wait()
		close(locks)
		if len(locks) != 1 {
			t.Fatalf("%d holders at one time", len(locks))
		}
		(<-locks).Release()
	}
}

func TestWaitsForTheOther(t *testing.T) {
	h := newHere(t)
	l, err := lock.Acquire(context.Background(), h, alice, lock.Options{})
	if err != nil {
		t.Fatal(err)
	}
	told := make(chan lock.Holder, 1)
	go func() {
		<-told
		l.Release()
	}()
	m, err := lock.Acquire(context.Background(), h, lock.Holder{Owner: "bob"}, lock.Options{
		Wait: time.Minute, OnWait: func(w lock.Holder) { told <- w },
	})
	if err != nil {
		t.Fatal(err)
	}
	m.Release()
}

func TestOddHoldersSurvive(t *testing.T) {
	h := newHere(t)
	odd := lock.Holder{Owner: "\"since\":\"\"o'\"$HOME `id` \\ @SINCE@ %s\n\x1b[31m", From: "ü"}
	l, err := lock.Acquire(context.Background(), h, odd, lock.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Release()
	who, held := look(t, h)
	if !held || who.From != "ü" {
		t.Errorf("%v %+v", held, who)
	}
	if s := who.String(); strings.ContainsAny(s, "\n\x1b") {
		t.Errorf("hostile text gets through: %q", s)
	}
}

// silent is a host whose link lets no heartbeat through.
type silent struct{ here }

func (h silent) Run(ctx context.Context, c remote.Command) (remote.Result, error) {
	_, c.Stdin = c.Stdin, never{ctx}
	return h.here.Run(ctx, c)
}

type never struct{ ctx context.Context }

func (n never) Read([]byte) (int, error) { <-n.ctx.Done(); return 0, io.EOF }

func TestWithoutHeartbeatsTheLockIsFree(t *testing.T) {
	h := newHere(t)
	l, err := lock.Acquire(context.Background(), silent{h}, alice, lock.Options{})
	if err != nil {
		t.Fatal(err)
	}
	select {
	case <-l.Lost():
	case <-time.After(30 * time.Second):
		t.Fatal("still held after 30 s without a heartbeat")
	}
	if _, held := look(t, h); held {
		t.Error("still held")
	}
	l.Release()
}

// TestTheShellsThatHostsHave holds, sees and breaks a lock under each.
func TestTheShellsThatHostsHave(t *testing.T) {
	stagetest.EachShell(t, func(t *testing.T, shell []string) { breakIt(t, newHere(t, shell...)) })
}

func breakIt(t *testing.T, h here) {
	t.Helper()
	if _, ok, err := lock.Break(context.Background(), h, bob); ok || err != nil {
		t.Errorf("nothing to break: %v %v", ok, err)
	}
	l, err := lock.Acquire(context.Background(), h, alice, lock.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if who, held := look(t, h); !held || who.Owner != "alice" {
		t.Errorf("held %v by %+v", held, who)
	}
	if _, err := lock.Acquire(context.Background(), h, alice, lock.Options{}); err == nil {
		t.Error("two hold it")
	}
	who, ok, err := lock.Break(context.Background(), h, bob)
	if !ok || err != nil || who.Owner != "alice" {
		t.Errorf("%+v %v %v", who, ok, err)
	}
	waitLost(t, l)
	var broken *lock.BrokenError
	if err := l.Reacquire(context.Background()); !errors.As(err, &broken) || !strings.Contains(err.Error(), "taken away by bob@desk at 20") {
		t.Errorf("taking it again: %v", err)
	}
	if _, held := look(t, h); held {
		t.Error("held by the run that it was taken away from")
	}
	next := alice
	next.Run = "r2"
	m, err := lock.Acquire(context.Background(), h, next, lock.Options{})
	if err != nil {
		t.Fatalf("another run: %v", err)
	}
	if err := l.Reacquire(context.Background()); !errors.As(err, &broken) {
		t.Errorf("taking it again while another holds it: %v", err)
	}
	m.Release()
}

// TestNothingIsWrittenThroughALink: whoever can make a link in the lock's place must not
// have root write where it leads.
func TestNothingIsWrittenThroughALink(t *testing.T) {
	for _, suffix := range []string{"", ".broken"} {
		for _, target := range []string{"present", "dangling"} {
			h := newHere(t)
			at, content := h.path+".target", "precious"
			if target == "present" {
				os.WriteFile(at, []byte(content), 0o600)
			}
			if err := os.Symlink(at, h.path+suffix); err != nil {
				t.Fatal(err)
			}
			_, err := lock.Acquire(context.Background(), h, alice, lock.Options{})
			if err == nil || !strings.Contains(err.Error(), h.path+suffix+" is a link or no regular file") {
				t.Errorf("%s%s: %v", target, suffix, err)
			}
			if _, ok, err := lock.Break(context.Background(), h, bob); ok || err == nil {
				t.Errorf("%s%s: broken: %v", target, suffix, err)
			}
			if text, err := os.ReadFile(at); target == "present" && string(text) != content || target == "dangling" && err == nil {
				t.Errorf("%s%s: now holds %q", target, suffix, text)
			}
		}
	}
}

func TestGarbageInTheFile(t *testing.T) {
	h := newHere(t)
	for _, text := range []string{"", "\x00\xff{", `{"shell":"1"}`, `{"shell":"$(id)"}`, `{"shell":"-1"}`} {
		os.WriteFile(h.path, []byte(text), 0o600)
		if who, held := look(t, h); held {
			t.Errorf("%q: held by %+v", text, who)
		}
		if _, ok, _ := lock.Break(context.Background(), h, bob); ok {
			t.Errorf("%q: something was ended", text)
		}
		l, err := lock.Acquire(context.Background(), h, alice, lock.Options{})
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		l.Release()
	}
}

// TestHeldByWhoLeftNoName: another program holds the lock of a file with any words. It
// is seen and refused, and it is not ended.
func TestHeldByWhoLeftNoName(t *testing.T) {
	h := newHere(t)
	for _, text := range []string{"garbage", `{"shell":"` + strconv.Itoa(os.Getpid()) + `"}`} {
		os.WriteFile(h.path, []byte(text), 0o600)
		f, err := os.Open(h.path)
		if err != nil {
			t.Fatal(err)
		}
		if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil {
			t.Fatal(err)
		}
		if _, held := look(t, h); !held {
			t.Errorf("%q: not seen", text)
		}
		_, err = lock.Acquire(context.Background(), h, alice, lock.Options{})
		var other *lock.HeldError
		if !errors.As(err, &other) || !strings.Contains(err.Error(), "left no name") {
			t.Errorf("%q: %v", text, err)
		}
		if _, ok, err := lock.Break(context.Background(), h, bob); ok || err == nil {
			t.Errorf("%q: broken: %v", text, err)
		}
		f.Close()
		if _, held := look(t, h); held {
			t.Errorf("%q: held by nobody", text)
		}
	}
}

func TestARemovedFileIsALostLock(t *testing.T) {
	h := newHere(t)
	l, err := lock.Acquire(context.Background(), h, alice, lock.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(h.path); err != nil {
		t.Fatal(err)
	}
	waitLost(t, l)
	if err := l.Reacquire(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := l.Release(); err != nil {
		t.Error(err)
	}
}

// TestTheHostSaysWhatIsMissing: without flock there is no lock, and a probe says nothing.
func TestTheHostSaysWhatIsMissing(t *testing.T) {
	h := newHere(t)
	l, err := lock.Acquire(context.Background(), without{h}, alice, lock.Options{Wait: time.Hour})
	if l != nil || err == nil || !strings.Contains(err.Error(), "flock (util-linux) is not on this host") {
		t.Errorf("%v, %v", l, err)
	}
}

// without is a host that has no flock.
type without struct{ here }

func (h without) Run(ctx context.Context, c remote.Command) (remote.Result, error) {
	c.Script = "PATH=/nowhere\n" + c.Script
	return h.here.Run(ctx, c)
}

func TestLookingWritesNothing(t *testing.T) {
	h := newHere(t)
	look(t, h)
	if _, _, err := lock.Break(context.Background(), h, bob); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(h.path); !os.IsNotExist(err) {
		t.Errorf("the file is there: %v", err)
	}
}

func waitLost(t *testing.T, l *lock.Lock) {
	t.Helper()
	select {
	case <-l.Lost():
	case <-time.After(30 * time.Second):
		t.Fatal("still held")
	}
}
