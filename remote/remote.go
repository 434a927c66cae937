// Package remote is the border to a host: run this sh text there, and say
// honestly what became of it. Nothing else.
package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// Host runs sh text on one host, as root where the host's settings ask for sudo.
// It is safe for use by several goroutines.
type Host interface {
	// Name is the host's name in the plan.
	Name() string
	// Run runs one script. An error means that it is unknown whether or how far
	// the script ran (a *TransportError) or that no session could be had (a
	// *ConnectError); an exit status other than 0 is a Result, not an error.
	Run(ctx context.Context, cmd Command) (Result, error)
	// Close ends the connection.
	Close() error
}

// Command is sh text for a host. Script is never seen in argv on the host; it runs
// in /bin/sh with LC_ALL=C whatever the login shell is, and whatever that shell
// prints before it is dropped.
type Command struct {
	Script string
	// Stdin follows the script; nil is an empty input.
	Stdin io.Reader
	// Stdout receives output as it comes; nil keeps it in Result.Stdout.
	Stdout io.Writer
	// MaxBytes kept of stdout when Stdout is nil (0 means 8 MiB) and of stderr
	// (always 64 KiB); the rest is read and dropped, and Result.Truncated says so.
	MaxBytes int64
	// Timeout after which the session is ended and Run fails with a
	// *TransportError; 0 leaves it to ctx.
	Timeout time.Duration
}

// Result is what became of a script.
type Result struct {
	Stdout, Stderr []byte
	Truncated      bool
	Exit           int    // 128+n when ended by signal n
	Signal         string // "KILL" when ended by a signal
}

// Reason says why a connection or a session could not be had.
type Reason string

// Reasons of a ConnectError.
const (
	HostKeyChanged Reason = "host key changed"
	HostKeyUnknown Reason = "host key unknown"
	AuthFailed     Reason = "authentication failed"
	Refused        Reason = "connection refused"
	NameUnknown    Reason = "name not found"
	Unreachable    Reason = "unreachable"
	TimedOut       Reason = "timed out"
	SudoDenied     Reason = "sudo denied"
	NoShell        Reason = "no usable shell"
	BadSetting     Reason = "bad setting"
)

// ConnectError says why a host cannot be used and what to do about it.
type ConnectError struct {
	Host   string
	Reason Reason
	Detail string // one sentence: what was seen, with address and user
	Remedy string // what to do, with file, line and command where there is one
	Err    error
}

func (e *ConnectError) Error() string {
	s := fmt.Sprintf("%s: %s: %s", e.Host, e.Reason, e.Detail)
	if e.Remedy != "" {
		s += "\n" + e.Remedy
	}
	return s
}

func (e *ConnectError) Unwrap() error { return e.Err }

// TransportError says that the link was lost or went silent in mid-session: what
// the script did is unknown.
type TransportError struct {
	Host string
	Op   string
	Err  error
}

func (e *TransportError) Error() string {
	return fmt.Sprintf("%s: connection lost while %s, so the outcome is unknown: %v", e.Host, e.Op, e.Err)
}

func (e *TransportError) Unwrap() error { return e.Err }

// IsUnknown says whether err leaves open what happened on the host, or whether
// the host could not be reached at all. Neither is a failure of the host.
func IsUnknown(err error) bool {
	var t *TransportError
	var c *ConnectError
	return errors.As(err, &t) || errors.As(err, &c)
}
