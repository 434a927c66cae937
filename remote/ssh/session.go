package ssh

import (
	"context"
	"errors"
	"io"
	"time"

	"golang.org/x/crypto/ssh"
)

// session is a started command line and its pipes.
type session struct {
	*ssh.Session
	stdin          io.WriteCloser
	stdout, stderr io.Reader
}

type opened struct {
	s   *session
	err error
}

// open starts a command line; a host that does not answer in time counts as lost.
func (l *link) open(ctx context.Context, line string, limit time.Duration) (*session, error) {
	done := make(chan opened, 1)
	go func() {
		s, err := l.start(line)
		done <- opened{s, err}
	}()
	var err error
	select {
	case o := <-done:
		return o.s, o.err
	case <-ctx.Done():
		err = ctx.Err()
	case <-time.After(limit):
		err = errors.New("no answer within " + limit.String())
	}
	l.retire()
	go func() {
		if late := <-done; late.s != nil {
			late.s.Close()
		}
	}()
	return nil, err
}

func (l *link) start(line string) (*session, error) {
	inner, err := l.NewSession()
	if err != nil {
		return nil, err
	}
	s := &session{Session: inner}
	if err := s.begin(line); err != nil {
		inner.Close()
		return nil, err
	}
	return s, nil
}

func (s *session) begin(line string) (err error) {
	if s.stdin, err = s.StdinPipe(); err != nil {
		return err
	}
	if s.stdout, err = s.StdoutPipe(); err != nil {
		return err
	}
	if s.stderr, err = s.StderrPipe(); err != nil {
		return err
	}
	return s.Start(line)
}
