package job

import (
	"context"
	"fmt"
	"io"

	"github.com/pdprov/pdprov/remote"
)

// Log copies a job's log from a byte on as it is now.
func Log(ctx context.Context, h remote.Host, r Ref, from int64, w io.Writer) error {
	var failed error
	f := follower{h: h, ref: r, offset: from, chunk: maxChunk}
	f.out = func(chunk []byte, _ int64) { _, failed = w.Write(chunk) }
	for {
		_, more, err := f.poll(ctx)
		switch {
		case err != nil:
			return err
		case failed != nil:
			return fmt.Errorf("writing the log of %s: %w", r.Stage, failed)
		case !more:
			return nil
		}
	}
}

// pruneScript removes folders of runs. Its words are their names.
const pruneScript = `cd ` + Root + ` && rm -rf -- "$@"`

// Prune removes the folders of all runs but the newest keep; a run with a running job stays.
func Prune(ctx context.Context, h remote.Host, keep int) error {
	jobs, err := Find(ctx, h)
	if err != nil {
		return err
	}
	old := spent(jobs, keep)
	if len(old) == 0 {
		return nil
	}
	res, err := h.Run(ctx, remote.Command{Script: script(pruneScript, old...)})
	if err == nil && res.Exit != 0 {
		err = fmt.Errorf("old runs could not be removed: exit status %d: %s", res.Exit, said(res))
	}
	return err
}

// spent lists the runs that may go. The age of a run is that of its newest job.
func spent(jobs []Status, keep int) []string {
	var runs []string // the newest first
	known, busy := map[string]bool{}, map[string]bool{}
	for i := len(jobs) - 1; i >= 0; i-- {
		run := jobs[i].Ref.Run
		if !known[run] {
			runs = append(runs, run)
		}
		known[run] = true
		busy[run] = busy[run] || jobs[i].State == Running
	}
	var old []string
	for _, run := range runs[min(max(keep, 0), len(runs)):] {
		if !busy[run] {
			old = append(old, run)
		}
	}
	return old
}
