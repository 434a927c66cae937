package lock

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/pdprov/pdprov/internal/posixsh"
	"github.com/pdprov/pdprov/remote"
)

// Options of Acquire.
type Options struct {
	Wait   time.Duration // how long to wait for another holder; 0 refuses at once
	OnWait func(Holder)  // called once for each holder that is waited for
}

// HeldError says that another holds the lock.
type HeldError struct {
	Host   string
	Holder Holder
}

func (e *HeldError) Error() string {
	return fmt.Sprintf("%s: the lock is held by %s; wait with --lock-wait, or end it with: pdprov unlock %s", e.Host, e.Holder, e.Host)
}

// BrokenError says that the lock of this run was taken away by force: the run must not
// go on, and never gets it back.
type BrokenError struct {
	Host string
	By   Holder
}

func (e *BrokenError) Error() string {
	return fmt.Sprintf("%s: the lock was taken away by %s; this run does nothing more on the host, and a job that runs there goes on (pdprov status, pdprov attach)", e.Host, e.By.words("at"))
}

const (
	heartbeat  = 2 * time.Second
	patience   = 3 * time.Second // with the end of a session
	exitHeld   = 75
	exitBroken = 76
	tryAgain   = 500 * time.Millisecond
)

// plainScript refuses what is no plain file, because root writes through it.
const plainScript = `plain() {
  if [ -h "$1" ] || { [ -e "$1" ] && [ ! -f "$1" ]; }; then
    echo "$1 is a link or no regular file, so nothing is written there; find out who made it, and remove it" >&2
    exit 69
  fi
}
plain ` + Path + `
plain ` + brokenPath + `
`

// holdScript takes the lock and holds it while a line arrives at least every 10 s. Its
// words are the holder and the key of its run, whose lock may have been broken. Children
// do not inherit the lock, so that its end is the shell's, nor its output, so that the
// session ends with it; they let go of both in a subshell, because dash would move its
// own descriptor 9 meanwhile. A removed file is a lost lock.
const holdScript = plainScript + `umask 077
broken() {
  [ -n "$1" ] && [ -e ` + brokenPath + ` ] || return 0
  while read -r run by; do
    [ "$run" != "$1" ] || { printf '%s\n' "$by"; exit 76; }
  done <` + brokenPath + ` || exit 69
}
broken "$2"
command -v flock >/dev/null || { echo "flock (util-linux) is not on this host" >&2; exit 69; }
exec 9<>` + Path + ` || exit 69
flock -n 9 || { sleep 0.3; flock -n 9; } || { cat ` + Path + `; exit 75; }
broken "$2"
since=$(date -u +%Y-%m-%dT%H:%M:%SZ)
printf '%s"since":"%s","shell":"%s"}\n' "$1" "$since" "$$" >/proc/self/fd/9 || exit 69
printf 'locked\n'
# shellcheck disable=SC3013 # dash, bash and busybox know -ef
while [ /proc/self/fd/9 -ef ` + Path + ` ]; do
  (exec >/dev/null 2>&1 9>&-; exec timeout 10 sh -c 'read -r _') || break
done
: >/proc/self/fd/9`

// Lock is a host's lock, held. It is safe for use by several goroutines.
type Lock struct {
	h    remote.Host
	who  Holder
	mu   sync.Mutex
	held *session
}

// session is one shell that holds the lock.
type session struct {
	stop  func() error // says whether the end was confirmed
	ended chan struct{}
}

// Acquire takes the lock of a host, or says in a *HeldError who has it.
func Acquire(ctx context.Context, h remote.Host, who Holder, o Options) (*Lock, error) {
	l := &Lock{h: h, who: who}
	if err := l.acquire(ctx, o); err != nil {
		return nil, err
	}
	return l, nil
}

func (l *Lock) acquire(ctx context.Context, o Options) error {
	deadline := time.Now().Add(o.Wait)
	var told Holder
	for {
		s, err := hold(ctx, l.h, l.who)
		var held *HeldError
		if err == nil {
			l.mu.Lock()
			l.held = s
			l.mu.Unlock()
			return nil
		}
		if !errors.As(err, &held) || !time.Now().Before(deadline) {
			return err
		}
		if o.OnWait != nil && held.Holder != told {
			told = held.Holder
			o.OnWait(told)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(tryAgain):
		}
	}
}

// hold starts the holding shell and returns when it has the lock.
func hold(ctx context.Context, h remote.Host, who Holder) (*session, error) {
	own, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stdin, beat := io.Pipe()
	s := &session{ended: make(chan struct{})}
	s.stop = sync.OnceValue(func() error {
		defer cancel()
		beat.Close()
		select {
		case <-s.ended:
			return nil
		case <-time.After(patience):
			return fmt.Errorf("%s: the host did not confirm that the lock is free; it is free some seconds after it last heard of pdprov", h.Name())
		}
	})
	taken := &firstLine{got: make(chan struct{})}
	var err error
	go func() {
		defer close(s.ended)
		var res remote.Result
		res, err = h.Run(own, remote.Command{
			Script: "set -- " + posixsh.Words(who.encode(), who.key()) + "\n" + holdScript, Stdin: stdin, Stdout: taken,
		})
		stdin.Close()
		if err == nil {
			err = taken.refused(h.Name(), res)
		}
	}()
	select {
	case <-taken.got:
		go s.beat(beat)
		return s, nil
	case <-s.ended:
		cancel()
		return nil, err
	case <-ctx.Done():
		go s.stop()
		return nil, ctx.Err()
	}
}

// beat sends heartbeats until the session has ended.
func (s *session) beat(w io.Writer) {
	ticks := time.NewTicker(heartbeat)
	defer ticks.Stop()
	for {
		select {
		case <-s.ended:
			return
		case <-ticks.C:
			if _, err := io.WriteString(w, "\n"); err != nil {
				return
			}
		}
	}
}

// firstLine waits for the line that says that the lock is taken.
type firstLine struct {
	text bytes.Buffer
	got  chan struct{}
	once sync.Once
}

func (f *firstLine) Write(p []byte) (int, error) {
	if f.text.Len() < 64<<10 {
		f.text.Write(p)
	}
	if bytes.HasPrefix(f.text.Bytes(), []byte("locked\n")) {
		f.once.Do(func() { close(f.got) })
	}
	return len(p), nil
}

// refused is why the shell ended without the lock.
func (f *firstLine) refused(host string, res remote.Result) error {
	if res.Exit == exitHeld {
		return &HeldError{Host: host, Holder: parseHolder(f.text.Bytes())}
	}
	if res.Exit == exitBroken {
		return &BrokenError{Host: host, By: parseHolder(f.text.Bytes())}
	}
	why := strings.TrimSpace(string(res.Stderr))
	if strings.Contains(why, "Permission denied") {
		why += "\n  pdprov changes a host as root: log in as root, or set sudo = true in the host block"
	}
	return fmt.Errorf("%s: the lock cannot be taken: exit status %d: %s", host, res.Exit, why)
}

// Lost is closed when the lock is no longer held: released, or the link is gone.
func (l *Lock) Lost() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.held.ended
}

// Reacquire takes the lock again after it was lost. The shell of the lost session may
// hold it for some seconds more, so it waits that long. A *BrokenError says who took it
// away.
func (l *Lock) Reacquire(ctx context.Context) error {
	l.mu.Lock()
	old := l.held
	l.mu.Unlock()
	old.stop()
	return l.acquire(ctx, Options{Wait: 15 * time.Second})
}

// Release gives the lock back; the error says that the host did not confirm it.
func (l *Lock) Release() error {
	l.mu.Lock()
	held := l.held
	l.mu.Unlock()
	return held.stop()
}
