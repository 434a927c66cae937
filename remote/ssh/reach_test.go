package ssh_test

import (
	"context"
	"errors"
	"net"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/pdprov/pdprov/remote"
	"github.com/pdprov/pdprov/remote/ssh"
)

// silentPort takes connections and never says a word.
func silentPort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l.Addr().(*net.TCPAddr).Port
}

func TestSilentListener(t *testing.T) {
	home(t)
	before := runtime.NumGoroutine()
	_, err := dialBox(t, ssh.Options{HandshakeTimeout: 300 * time.Millisecond}, ssh.Target{Name: "gpu1", Address: "127.0.0.1", Port: silentPort(t)})
	refused(t, err, remote.TimedOut, "handshake")
	settle(t, before)
}

func TestCancelledHandshake(t *testing.T) {
	home(t)
	before := runtime.NumGoroutine()
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	_, err := ssh.NewDialer(ssh.Options{}).Dial(ctx, ssh.Target{Name: "gpu1", Address: "127.0.0.1", Port: silentPort(t)})
	if !errors.Is(err, context.DeadlineExceeded) || !remote.IsUnknown(err) {
		t.Errorf("got %v", err)
	}
	settle(t, before)
}

func TestNoWay(t *testing.T) {
	home(t)
	_, err := dialBox(t, ssh.Options{}, ssh.Target{Name: "gpu1", Address: "127.0.0.1", Port: freePort(t)})
	refused(t, err, remote.Refused, "127.0.0.1")
	if !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("%v hides its cause", err)
	}
	_, err = dialBox(t, ssh.Options{}, ssh.Target{Name: "gpu1", Address: "no-such-host.invalid"})
	refused(t, err, remote.NameUnknown, "no-such-host.invalid")
	_, err = dialBox(t, ssh.Options{DialContext: fails(syscall.EHOSTUNREACH)}, ssh.Target{Name: "gpu1", Address: "127.0.0.1"})
	refused(t, err, remote.Unreachable, "no route to host")
	_, err = dialBox(t, ssh.Options{ConnectTimeout: 50 * time.Millisecond, DialContext: waits}, ssh.Target{Name: "gpu1", Address: "127.0.0.1"})
	refused(t, err, remote.TimedOut, "50ms")
}

func fails(err error) func(context.Context, string, string) (net.Conn, error) {
	return func(_ context.Context, network, _ string) (net.Conn, error) {
		return nil, &net.OpError{Op: "dial", Net: network, Err: err}
	}
}

func waits(ctx context.Context, _, _ string) (net.Conn, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestSomethingElseListens(t *testing.T) {
	home(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			c.Write([]byte("HTTP/1.1 400 Bad Request\r\n\r\n"))
			c.Close()
		}
	}()
	_, err = dialBox(t, ssh.Options{}, ssh.Target{Name: "gpu1", Address: "127.0.0.1", Port: l.Addr().(*net.TCPAddr).Port})
	refused(t, err, remote.Unreachable, "sshd")
}

func TestBusyServerIsTriedAgain(t *testing.T) {
	s := startServer(t)
	s.trust(t, "ed25519")
	drops := 2
	s.connects(t, ssh.Options{DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
		if drops--; drops >= 0 {
			near, far := net.Pipe()
			go func() { far.Read(make([]byte, 100)); far.Close() }()
			return near, nil
		}
		return (&net.Dialer{}).DialContext(ctx, network, addr)
	}})
}
