package ssh

import (
	"context"
	"errors"
	"io"
	"net"
	"syscall"
	"time"

	"github.com/melbahja/goph"
	"golang.org/x/crypto/ssh"

	"github.com/pdprov/pdprov/remote"
)

const (
	startTries = 3
	startPause = 500 * time.Millisecond
)

// connect logs in on a host. A connection that is closed before sshd said anything is
// tried again: a busy sshd drops some by chance (MaxStartups).
func (d *Dialer) connect(ctx context.Context, s *settings, path []string) (*link, error) {
	for try := 1; ; try++ {
		l, again, err := d.connectOnce(ctx, s, path)
		if err == nil || !again || try == startTries {
			return l, err
		}
		if wait(ctx, startPause) != nil {
			return nil, err
		}
	}
}

func (d *Dialer) connectOnce(ctx context.Context, s *settings, path []string) (l *link, again bool, err error) {
	below, err := d.below(ctx, s, path)
	if err != nil {
		return nil, false, err
	}
	defer func() {
		if err != nil {
			below.end()
		}
	}()
	select {
	case d.starts <- struct{}{}:
		defer func() { <-d.starts }()
	case <-ctx.Done():
		return nil, false, s.cancelled(ctx)
	}
	o, err := d.offerFor(s)
	if err != nil {
		return nil, false, err
	}
	defer o.close()
	raw, err := d.reach(ctx, s, below)
	if err != nil {
		return nil, false, err
	}
	l, again, err = d.login(ctx, s, o, raw)
	if err != nil {
		raw.Close()
		return nil, again, err
	}
	l.below = below
	l.watch(s)
	return l, false, nil
}

// login does the handshake; the library itself would wait for ever for a silent peer.
func (d *Dialer) login(ctx context.Context, s *settings, o *offer, raw net.Conn) (*link, bool, error) {
	k, err := d.known(s)
	if err != nil {
		return nil, false, err
	}
	stream := &countedConn{Conn: raw}
	b := newBound(ctx, raw, d.o.HandshakeTimeout)
	o.pause = b.pause
	auth := goph.Auth{ssh.PublicKeys(o.signers...)}
	conn, channels, requests, err := ssh.NewClientConn(stream, s.knownAs(), &ssh.ClientConfig{
		User: s.user, Auth: auth, ClientVersion: "SSH-2.0-pdprov",
		HostKeyAlgorithms: k.algorithms(),
		HostKeyCallback: func(_ string, _ net.Addr, key ssh.PublicKey) error {
			defer b.pause()() // a lock on known_hosts may be waited for
			return d.check(k, key)
		},
	})
	expired := b.stop()
	if err != nil {
		dropped := stream.heard.Load() == 0 && (errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET))
		again := ctx.Err() == nil && !expired && (dropped || o.locked)
		return nil, again, d.loginError(ctx, s, k, o, err, expired)
	}
	client := &goph.Client{
		Client: ssh.NewClient(conn, channels, requests),
		Config: &goph.Config{User: s.user, Addr: s.hostName, Port: uint(s.port), Auth: auth},
	}
	return &link{Client: client, stream: stream, gone: make(chan struct{})}, false, nil
}

// cancelled says that the caller gave up before anything was started on the host.
func (s *settings) cancelled(ctx context.Context) error {
	return &remote.ConnectError{
		Host: s.name, Reason: remote.TimedOut, Err: ctx.Err(),
		Detail: "given up while connecting to " + s.address() + ": " + ctx.Err().Error(),
	}
}

func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
