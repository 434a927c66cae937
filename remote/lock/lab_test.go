package lock_test

import (
	"errors"
	"testing"
	"time"

	"github.com/pdprov/pdprov/internal/lab"
	"github.com/pdprov/pdprov/remote"
	"github.com/pdprov/pdprov/remote/lock"
	"github.com/pdprov/pdprov/remote/ssh"
)

// TestOverSSH takes the lock of lab hosts the way pdprov does. Its parts share no host.
func TestOverSSH(t *testing.T) {
	lab.Require(t)
	l := lab.ForTest(t, 4)
	tests := []struct {
		name string
		test func(*testing.T, *lab.Lab, *lab.Host)
	}{{"short cut", shortCut}, {"long cut", longCut}, {"dead controller", deadController}, {"reboot", reboot}}
	t.Run("hosts", func(t *testing.T) { // returns when all have ended, before the lab does
		for i, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				t.Parallel()
				tt.test(t, l, l.Hosts()[i])
			})
		}
	})
}

func dial(t *testing.T, l *lab.Lab, box *lab.Host) remote.Host {
	t.Helper()
	d := ssh.NewDialer(ssh.Options{ConfigFile: l.SSHConfig(), DialContext: l.DialContext})
	h, err := d.Dial(t.Context(), ssh.Target{Name: box.Name, Address: box.Name})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	return h
}

func acquire(t *testing.T, h remote.Host, owner string, wait time.Duration) *lock.Lock {
	t.Helper()
	l, err := lock.Acquire(t.Context(), h, lock.Holder{Owner: owner}, lock.Options{Wait: wait})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func refused(t *testing.T, h remote.Host) {
	t.Helper()
	var held *lock.HeldError
	if l, err := lock.Acquire(t.Context(), h, lock.Holder{Owner: "bob"}, lock.Options{}); !errors.As(err, &held) || held.Holder.Owner != "alice" {
		t.Fatalf("%v, %v", l, err)
	}
}

// shortCut: a cut of 6 s loses nothing.
func shortCut(t *testing.T, l *lab.Lab, box *lab.Host) {
	h := dial(t, l, box)
	alice := acquire(t, h, "alice", 0)
	if err := box.Cut(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(6 * time.Second)
	if err := box.Mend(); err != nil {
		t.Fatal(err)
	}
	if err := box.WaitSSH(t.Context()); err != nil {
		t.Fatal(err)
	}
	refused(t, dial(t, l, box))
	time.Sleep(8 * time.Second) // heartbeats must have come meanwhile
	refused(t, dial(t, l, box))
	if err := alice.Release(); err != nil {
		t.Error(err)
	}
	acquire(t, dial(t, l, box), "bob", 0).Release()
}

// longCut: the host is free while the link is still cut, the holder learns of it, and
// takes the lock again when nobody else did.
func longCut(t *testing.T, l *lab.Lab, box *lab.Host) {
	h := dial(t, l, box)
	alice := acquire(t, h, "alice", 0)
	if err := box.Cut(); err != nil {
		t.Fatal(err)
	}
	free(t, box)
	if err := box.Mend(); err != nil {
		t.Fatal(err)
	}
	waitLost(t, alice)
	if err := box.WaitSSH(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := alice.Reacquire(t.Context()); err != nil {
		t.Fatal(err)
	}
	refused(t, dial(t, l, box))
	if err := alice.Release(); err != nil {
		t.Error(err)
	}
}

// deadController: a connection that ends frees the host, and the next one waits for it.
func deadController(t *testing.T, l *lab.Lab, box *lab.Host) {
	h := dial(t, l, box)
	alice := acquire(t, h, "alice", 0)
	h.Close()
	acquire(t, dial(t, l, box), "bob", time.Minute).Release()
	waitLost(t, alice)
	if err := alice.Release(); err != nil {
		t.Error(err)
	}
}

func reboot(t *testing.T, l *lab.Lab, box *lab.Host) {
	alice := acquire(t, dial(t, l, box), "alice", 0)
	if err := box.Reboot(); err != nil {
		t.Fatal(err)
	}
	acquire(t, dial(t, l, box), "bob", 0).Release()
	waitLost(t, alice)
}

// free waits until nobody holds the host's lock, seen from the host itself.
func free(t *testing.T, box *lab.Host) {
	t.Helper()
	if out, err := box.Exec(t.Context(), "flock", "-w", "60", lock.Path, "true"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}
