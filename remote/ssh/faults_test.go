package ssh_test

import (
	"context"
	"errors"
	"io"
	"net"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pdprov/pdprov/remote"
	"github.com/pdprov/pdprov/remote/ssh"
)

func lookPath(t *testing.T, name string) {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		t.Skip("not on this machine: ", err)
	}
}

// cable carries bytes to a server until it is cut: then it goes silent and says nothing.
type cable struct {
	mu   sync.Mutex
	cond *sync.Cond
	cut  bool
	all  []net.Conn
}

func (c *cable) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	far, err := (&net.Dialer{}).DialContext(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	near, inner := net.Pipe()
	c.mu.Lock()
	c.all = append(c.all, far)
	c.mu.Unlock()
	go c.carry(far, inner)
	go c.carry(inner, far)
	return near, nil
}

func (c *cable) carry(to, from net.Conn) {
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		c.mu.Lock()
		for c.cut {
			c.cond.Wait()
		}
		c.mu.Unlock()
		if err != nil {
			to.Close()
			return
		}
		if _, err := to.Write(buf[:n]); err != nil {
			from.Close()
			return
		}
	}
}

func (c *cable) set(cut bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cut = cut
	c.cond.Broadcast()
}

func newCable(t *testing.T) *cable {
	c := &cable{}
	c.cond = sync.NewCond(&c.mu)
	t.Cleanup(func() { c.set(false) })
	return c
}

// hungScript starts a script that says one byte and then waits, and returns when the
// byte has come.
func hungScript(t *testing.T, ctx context.Context, h remote.Host) <-chan error {
	t.Helper()
	r, w := io.Pipe()
	done := make(chan error, 1)
	go func() {
		_, err := h.Run(ctx, remote.Command{Script: "echo; exec sleep 20", Stdout: w})
		w.Close()
		done <- err
	}()
	if _, err := io.ReadFull(r, make([]byte, 1)); err != nil {
		t.Fatal("the script did not start: ", <-done)
	}
	return done
}

func lost(t *testing.T, err error) {
	t.Helper()
	var e *remote.TransportError
	if !errors.As(err, &e) {
		t.Errorf("got %v, want a *remote.TransportError", err)
	}
	t.Log(err)
}

func TestLinkThatGoesSilentIsNoticedAndMadeAnew(t *testing.T) {
	s := startServer(t)
	s.trust(t, "ed25519")
	c := newCable(t)
	h := s.dial(t, ssh.Options{DialContext: c.dial, KeepAlive: 200 * time.Millisecond})
	done := hungScript(t, t.Context(), h)
	c.set(true)
	lost(t, <-done)
	c.set(false)
	says(t, h, "echo again", "again\n")
}

func TestLinkThatIsAliveAndSilentIsKept(t *testing.T) {
	s := startServer(t)
	s.trust(t, "ed25519")
	h := s.dial(t, ssh.Options{KeepAlive: 50 * time.Millisecond})
	says(t, h, "sleep 1; echo ok", "ok\n")
}

func TestServerThatDiesIsLost(t *testing.T) {
	s := startServer(t)
	s.trust(t, "ed25519")
	h := s.dial(t, ssh.Options{})
	_, err := h.Run(t.Context(), remote.Command{Script: "kill -9 $PPID; sleep 20"})
	lost(t, err)
	says(t, h, "echo again", "again\n")
}

func TestCancelLeavesNothingBehind(t *testing.T) {
	s := startServer(t)
	s.trust(t, "ed25519")
	h := s.dial(t, ssh.Options{})
	before := runtime.NumGoroutine()
	for range 15 { // more than the sessions that a link may have
		ctx, cancel := context.WithCancel(t.Context())
		done := hungScript(t, ctx, h)
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Fatalf("got %v", err)
		}
	}
	says(t, h, "echo ok", "ok\n")
	settle(t, before)
}

func settle(t *testing.T, before int) {
	t.Helper()
	for range 100 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	buf := make([]byte, 1<<20)
	t.Errorf("%d goroutines before, %d after:\n%s", before, runtime.NumGoroutine(), buf[:runtime.Stack(buf, true)])
}

func TestTimeoutOfACommand(t *testing.T) {
	s := startServer(t)
	s.trust(t, "ed25519")
	h := s.dial(t, ssh.Options{})
	_, err := h.Run(t.Context(), remote.Command{Script: "sleep 20", Timeout: 300 * time.Millisecond})
	lost(t, err)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

func TestCancelOverADeadLink(t *testing.T) {
	s := startServer(t)
	s.trust(t, "ed25519")
	c := newCable(t)
	h := s.dial(t, ssh.Options{DialContext: c.dial, KeepAlive: time.Hour})
	ctx, cancel := context.WithCancel(t.Context())
	done := hungScript(t, ctx, h)
	c.set(true)
	cancel()
	lost(t, <-done)
	c.set(false)
	says(t, h, "echo again", "again\n")
}

func TestShellThatNeverStartsTheScript(t *testing.T) {
	s := startServer(t, "ForceCommand echo please wait; exec sleep 20")
	s.trust(t, "ed25519")
	h := s.dial(t, ssh.Options{HandshakeTimeout: time.Second})
	_, err := h.Run(t.Context(), remote.Command{Script: "true"})
	lost(t, err)
	if !strings.Contains(err.Error(), "please wait") {
		t.Errorf("got %v, want what the shell said", err)
	}
}

func TestSessionsThatSshdRefuses(t *testing.T) {
	s := startServer(t, "MaxSessions 0")
	s.trust(t, "ed25519")
	h := s.dial(t, ssh.Options{})
	_, err := h.Run(t.Context(), remote.Command{Script: "true"})
	refused(t, err, remote.Refused, "MaxSessions")
}

// TestFewSessionsAreNoLimit: scripts that run for long do not keep others waiting where
// sshd allows few sessions on one link.
func TestFewSessionsAreNoLimit(t *testing.T) {
	for _, most := range []string{"1", "2"} {
		s := startServer(t, "MaxSessions "+most)
		s.trust(t, "ed25519")
		before := runtime.NumGoroutine()
		h := s.dial(t, ssh.Options{})
		var ends []func()
		for range 4 {
			r, w := io.Pipe()
			out, said := io.Pipe()
			ended := make(chan error, 1)
			go func() {
				_, err := h.Run(t.Context(), remote.Command{Script: "echo; read -r x", Stdin: r, Stdout: said})
				said.CloseWithError(err)
				ended <- err
			}()
			if _, err := out.Read(make([]byte, 1)); err != nil {
				t.Fatalf("MaxSessions %s: %v", most, err)
			}
			ends = append(ends, func() {
				io.WriteString(w, "\n")
				w.Close()
				if err := <-ended; err != nil {
					t.Error(err)
				}
			})
		}
		hung := hungScript(t, t.Context(), h)
		for _, end := range ends {
			end()
		}
		h.Close()
		lost(t, <-hung)
		settle(t, before)
	}
}

func TestCloseEndsRuns(t *testing.T) {
	s := startServer(t)
	s.trust(t, "ed25519")
	before := runtime.NumGoroutine()
	h := s.dial(t, ssh.Options{})
	done := hungScript(t, t.Context(), h)
	h.Close()
	lost(t, <-done)
	if _, err := h.Run(t.Context(), remote.Command{Script: "true"}); err == nil {
		t.Error("a closed host ran a script")
	}
	settle(t, before)
}

func TestCancelLeavesOtherScriptsAlone(t *testing.T) {
	s := startServer(t)
	s.trust(t, "ed25519")
	h := s.dial(t, ssh.Options{})
	r, w := io.Pipe()
	out, said := io.Pipe()
	other := make(chan error, 1)
	go func() {
		got, err := h.Run(t.Context(), remote.Command{Script: "echo; read -r x; echo $x", Stdin: r, Stdout: said})
		if err == nil && got.Exit != 0 {
			err = errors.New("the other script failed")
		}
		other <- err
	}()
	io.ReadFull(out, make([]byte, 1))
	go io.Copy(io.Discard, out)
	ctx, cancel := context.WithCancel(t.Context())
	cancelled := hungScript(t, ctx, h)
	cancel()
	lost(t, <-cancelled)
	says(t, h, "echo new", "new\n")
	io.WriteString(w, "word\n")
	w.Close()
	if err := <-other; err != nil {
		t.Error(err)
	}
}
