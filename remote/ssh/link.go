package ssh

import (
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/melbahja/goph"
)

// link is a login on a host, and the link to the jump host that it stands on.
type link struct {
	*goph.Client
	stream *countedConn
	below  *link
	gone   chan struct{} // closed when the link has ended, whoever ended it

	mu      sync.Mutex
	users   int
	retired bool
	cause   error
}

// countedConn counts what was heard: any byte is a sign of life.
type countedConn struct {
	net.Conn
	heard atomic.Int64
}

func (c *countedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.heard.Add(int64(n))
	return n, err
}

// watch notices the end of the link and asks for signs of life.
func (l *link) watch(s *settings) {
	go func() {
		err := l.Wait()
		l.because(err)
		close(l.gone)
		l.end()
	}()
	go l.keepAlive(s.interval, s.budget)
}

// keepAlive ends the link when nothing was heard for a time and a request stays
// unanswered for another: neither TCP nor the library would notice for hours.
func (l *link) keepAlive(interval, budget time.Duration) {
	for {
		heard := l.stream.heard.Load()
		select {
		case <-l.gone:
			return
		case <-time.After(interval):
		}
		if l.stream.heard.Load() != heard {
			continue
		}
		// In a goroutine, because the request itself hangs on a dead link.
		go l.SendRequest("keepalive@openssh.com", true, nil)
		select {
		case <-l.gone:
			return
		case <-time.After(budget):
		}
		if l.stream.heard.Load() == heard {
			l.because(errors.New("nothing was heard for " + (interval + budget).String()))
			l.end()
			return
		}
	}
}

// because keeps the first reason of the end.
func (l *link) because(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cause == nil {
		l.cause = err
	}
}

func (l *link) whyGone(otherwise error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cause != nil {
		return l.cause
	}
	return otherwise
}

// end closes the link from the stream up, so that nothing waits for a dead peer.
func (l *link) end() {
	if l == nil {
		return
	}
	l.stream.Close()
	l.Client.Close()
	l.below.end()
}

// use counts a session in; false means that the link takes no more.
func (l *link) use() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended() || l.retired {
		return false
	}
	l.users++
	return true
}

// leave counts a session out and says whether it was the last one of a link that took
// no more, which has then ended.
func (l *link) leave() (last bool) {
	l.mu.Lock()
	l.users--
	last = l.retired && l.users == 0
	l.mu.Unlock()
	if last {
		l.end()
	}
	return last
}

// retire takes no more sessions: sshd keeps a session that was left until its process
// has ended, and after ten of them it would refuse new ones.
func (l *link) retire() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.retired = true
}

// full takes no more sessions where some are in use; they go on to their end.
func (l *link) full() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.retired = l.retired || l.users > 0
}

// ended says whether the link carries nothing any more.
func (l *link) ended() bool {
	select {
	case <-l.gone:
		return true
	default:
		return false
	}
}
