package job

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/pdprov/pdprov/remote"
)

// FollowOptions of Follow.
type FollowOptions struct {
	// Deadline is how long the host may stay silent before Follow gives up; 0 means 2 minutes.
	Deadline time.Duration
	OnLost   func(error) // the link is gone
	OnBack   func(int64) // it is back; the log goes on at this byte
}

const (
	firstPoll = 100 * time.Millisecond
	lastPoll  = time.Second
	pollLimit = 15 * time.Second // for one question
	maxChunk  = 256 << 10
	minChunk  = 16 << 10 // after a lost link, which may have been too slow for more
	noSuchJob = "70"
)

// followScript looks at one job and prints its log from an offset on. Its words are the
// folder, the unit, the offset, which counts from 1, and the most bytes to print.
const followScript = `[ -f "$1/started" ] || { echo "the host keeps no such job" >&2; exit ` + noSuchJob + `; }` + look + `
started "$1" || exit 1
units "$2" || exit 1
result "$1" || exit 1
sizes "$1/log"
echo whole
tail -c "+$3" "$1/log" | head -c "$4"`

// Follow reads a job's log from a byte on, as it grows, until the job has ended. When
// the link is lost it tries again and goes on where it was; when the host stays
// silent past the deadline it returns the error that says that the outcome is unknown.
func Follow(ctx context.Context, h remote.Host, r Ref, from int64, out func(chunk []byte, end int64), o FollowOptions) (Status, error) {
	if o.Deadline <= 0 {
		o.Deadline = 2 * time.Minute
	}
	f := follower{h: h, ref: r, offset: from, chunk: maxChunk, out: out, o: o}
	for pause := firstPoll; ; {
		s, more, err := f.poll(ctx)
		switch {
		case err != nil && ctx.Err() != nil:
			return s, ctx.Err()
		case err != nil && !f.patient(err):
			return s, err
		case err == nil && s.State != Running && !more:
			return s, nil
		case more:
			pause = firstPoll
			continue
		}
		select {
		case <-ctx.Done():
			return s, ctx.Err()
		case <-time.After(pause):
		}
		pause = min(pause*3/2, lastPoll)
	}
}

type follower struct {
	h      remote.Host
	ref    Ref
	offset int64
	chunk  int
	out    func([]byte, int64)
	o      FollowOptions
	lost   time.Time // since when; zero while the link is there
}

// patient says whether to try again after an error.
func (f *follower) patient(err error) bool {
	var refused *remote.ConnectError
	if !remote.IsUnknown(err) || errors.As(err, &refused) && refused.Reason == remote.HostKeyChanged {
		return false
	}
	f.chunk = minChunk
	if f.lost.IsZero() {
		f.lost = time.Now()
		if f.o.OnLost != nil {
			f.o.OnLost(err)
		}
	}
	return time.Since(f.lost) < f.o.Deadline
}

// back notes that the host answered.
func (f *follower) back() {
	f.chunk = min(2*f.chunk, maxChunk)
	if f.lost.IsZero() {
		return
	}
	f.lost = time.Time{}
	if f.o.OnBack != nil {
		f.o.OnBack(f.offset)
	}
}

// poll asks once; more says that the log has more to read at once.
func (f *follower) poll(ctx context.Context) (s Status, more bool, err error) {
	from := strconv.FormatInt(f.offset+1, 10)
	res, err := f.h.Run(ctx, remote.Command{
		Script:  script(followScript, f.ref.Dir, f.ref.Unit, from, strconv.Itoa(f.chunk)),
		Timeout: pollLimit,
	})
	if err != nil {
		return s, false, err
	}
	if strconv.Itoa(res.Exit) == noSuchJob {
		return s, false, &GoneError{f.ref}
	}
	if res.Exit != 0 {
		return s, false, f.silent("exit status %d: %s", res.Exit, said(res))
	}
	head, chunk, ok := bytes.Cut(res.Stdout, []byte("\nwhole\n"))
	seen := read(head)
	if !ok || len(seen.dirs) != 1 {
		return s, false, f.silent("the answer makes no sense: %.200q", res.Stdout)
	}
	f.back()
	s = seen.status(seen.dirs[0])
	if len(chunk) > 0 {
		f.offset += int64(len(chunk))
		f.out(chunk, f.offset)
	}
	return s, f.offset < s.Size, nil
}

// silent says that the host cannot tell just now. In a shutdown systemd falls silent
// before the link does.
func (f *follower) silent(format string, args ...any) error {
	return &remote.TransportError{Host: f.h.Name(), Op: "following the job of " + f.ref.Stage, Err: fmt.Errorf(format, args...)}
}
