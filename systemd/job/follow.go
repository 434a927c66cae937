package job

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/pdprov/pdprov/internal/posixsh"
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
	pollLimit = 10 * time.Second // for one question
	maxChunk  = 256 << 10
)

// followScript prints at most maxChunk bytes of the log from an offset, behind a line
// with the state of all jobs of this name. Its words are the folder, the unit and the offset.
const followScript = `[ -f "$1/started" ] || { echo "no such job" >&2; exit 70; }
ended=no
[ ! -f "$1/result" ] || ended=yes
state=$(systemctl show -p ActiveState --value "$2") || exit 1
size=$(wc -c <"$1/log")
printf '%s %s %s %s\n' "$ended" "$state" "$(cat /proc/sys/kernel/random/boot_id)" "$size"
cat "$1/started"
[ $ended = no ] || { echo result=; sed 's/^boot=/ended=/' "$1/result"; }
echo log
tail -c "+$(($3 + 1))" "$1/log" | head -c 262144`

// Follow reads a job's log from a byte on, as it grows, until the job has ended. When
// the link is lost it tries again and goes on where it was; when the host stays
// silent past the deadline it returns the error that says that the outcome is unknown.
func Follow(ctx context.Context, h remote.Host, r Ref, from int64, out func(chunk []byte, end int64), o FollowOptions) (Status, error) {
	if o.Deadline <= 0 {
		o.Deadline = 2 * time.Minute
	}
	f := follower{h: h, ref: r, offset: from, out: out, o: o}
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
	out    func([]byte, int64)
	o      FollowOptions
	lost   time.Time // since when; zero while the link is there
	// unproved counts polls that found the unit gone and no result.
	unproved int
}

// patient says whether to try again after an error.
func (f *follower) patient(err error) bool {
	if !remote.IsUnknown(err) {
		return false
	}
	if f.lost.IsZero() {
		f.lost = time.Now()
		if f.o.OnLost != nil {
			f.o.OnLost(err)
		}
	}
	return time.Since(f.lost) < f.o.Deadline
}

// poll asks once; more says that the log has more to read at once.
func (f *follower) poll(ctx context.Context) (s Status, more bool, err error) {
	res, err := f.h.Run(ctx, remote.Command{
		Script:  "set -- " + posixsh.Words(f.ref.Dir, f.ref.Unit, strconv.FormatInt(f.offset, 10)) + "\n" + followScript,
		Timeout: pollLimit,
	})
	if err != nil {
		return s, false, err
	}
	if res.Exit != 0 {
		return s, false, fmt.Errorf("the job of %s cannot be followed: exit status %d: %s", f.ref.Stage, res.Exit, bytes.TrimSpace(res.Stderr))
	}
	s, chunk, err := f.parse(res.Stdout)
	if err != nil {
		return s, false, err
	}
	if !f.lost.IsZero() {
		f.lost = time.Time{}
		if f.o.OnBack != nil {
			f.o.OnBack(f.offset)
		}
	}
	if len(chunk) > 0 {
		f.offset += int64(len(chunk))
		f.out(chunk, f.offset)
	}
	return s, f.offset < s.Size, nil
}

func (f *follower) parse(answer []byte) (Status, []byte, error) {
	head, chunk, ok := bytes.Cut(answer, []byte("\nlog\n"))
	first, rest, _ := strings.Cut(string(head), "\n")
	words := strings.Fields(first)
	if !ok || len(words) != 4 {
		return Status{}, nil, fmt.Errorf("the job of %s cannot be followed: its host answered %.80q", f.ref.Stage, answer)
	}
	fields := map[string]string{"size": words[3]}
	for _, line := range strings.Split(rest, "\n") {
		if key, value, ok := strings.Cut(line, "="); ok {
			fields[key] = value
		}
	}
	units := map[string]bool{fields["unit"]: words[1] != "inactive" && words[1] != "failed"}
	s := status(fields, words[2], units)
	s.Ref = f.ref
	if words[0] == "no" && s.State != Running && s.Result.SameBoot {
		s.State = f.settle()
	}
	return s, chunk, nil
}

// settle gives the result file time to appear: it is written after the unit has ended.
// A job that still has none after some polls ended without a result.
func (f *follower) settle() State {
	if f.unproved++; f.unproved < 20 {
		return Running
	}
	return Failed
}

// Log copies a job's log from a byte on as it is now.
func Log(ctx context.Context, h remote.Host, r Ref, from int64, w io.Writer) error {
	f := follower{h: h, ref: r, offset: from, out: func(chunk []byte, _ int64) { w.Write(chunk) }}
	for {
		if _, more, err := f.poll(ctx); err != nil || !more {
			return err
		}
	}
}

// Prune removes the folders of all runs but the newest keep; a run with a running job stays.
func Prune(ctx context.Context, h remote.Host, keep int) error {
	jobs, err := Find(ctx, h)
	if err != nil {
		return err
	}
	var runs []string
	busy := map[string]bool{}
	for _, j := range jobs {
		busy[j.Ref.Run] = busy[j.Ref.Run] || j.State == Running
		if len(runs) == 0 || runs[len(runs)-1] != j.Ref.Run {
			runs = append(runs, j.Ref.Run)
		}
	}
	var old []string
	for _, run := range runs[:max(0, len(runs)-keep)] {
		if !busy[run] {
			old = append(old, Root+"/"+run)
		}
	}
	if len(old) == 0 {
		return nil
	}
	_, err = h.Run(ctx, remote.Command{Script: "rm -rf -- " + posixsh.Words(old...)})
	return err
}
