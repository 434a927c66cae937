package cli

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/pdprov/pdprov/cmd/view"
	"github.com/pdprov/pdprov/engine/apply"
	"github.com/pdprov/pdprov/engine/look"
	"github.com/pdprov/pdprov/systemd/job"
)

// watch follows jobs side by side and tells of them one at a time.
type watch struct {
	*app
	f        *look.Fleet
	timeout  time.Duration
	progress *view.Progress

	mu      sync.Mutex
	summary apply.Summary
	errs    []error
}

func (w *watch) follow(ctx context.Context, found foundJobs) {
	var jobs sync.WaitGroup
	for _, h := range found {
		if h.err != nil {
			w.summary.Unreachable++
		}
		for _, s := range h.jobs {
			jobs.Go(func() { w.one(ctx, h.host, s) })
		}
	}
	jobs.Wait()
	w.emit(apply.Event{Type: apply.Finished, Summary: &w.summary})
}

// one follows one job to its end.
func (w *watch) one(ctx context.Context, name string, s job.Status) {
	w.emit(apply.Event{Type: apply.JobAttached, Host: name, Stage: s.Ref.Stage, Message: "started by " + s.Owner + " at " + s.Since})
	end, err := w.read(ctx, name, s.Ref)
	e := apply.Event{Type: apply.StageDone, Host: name, Stage: s.Ref.Stage}
	switch {
	case err != nil:
		e.Type = apply.StageUnknown
	case !end.Result.OK():
		err = errors.New(end.Result.Describe())
		e.Type = apply.StageFailed
	}
	if err != nil {
		e.Error = err.Error()
	}
	w.count(e, err)
	w.emit(e)
}

func (w *watch) read(ctx context.Context, name string, ref job.Ref) (job.Status, error) {
	host, err := w.f.Host(ctx, name)
	if err != nil {
		return job.Status{}, err
	}
	event := func(t apply.EventType) apply.Event { return apply.Event{Type: t, Host: name, Stage: ref.Stage} }
	var end int64
	log := view.NewLines(func(line string) {
		e := event(apply.StageLog)
		e.Message, e.Offset = w.f.Deployment().Hide(ref.Stage, line), end
		w.emit(e)
	})
	defer log.Close()
	return job.Follow(ctx, host, ref, 0, func(chunk []byte, offset int64) {
		end = offset
		log.Write(chunk)
	}, job.FollowOptions{
		Deadline: w.timeout,
		OnLost: func(err error) {
			e := event(apply.LinkLost)
			e.Error = err.Error()
			w.emit(e)
		},
		OnBack: func(offset int64) {
			e := event(apply.LinkBack)
			e.Offset = offset
			w.emit(e)
		},
	})
}

func (w *watch) count(e apply.Event, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch e.Type {
	case apply.StageDone:
		w.summary.Done++
	case apply.StageFailed:
		w.summary.Failed++
	default:
		w.summary.Unknown++
	}
	if err != nil {
		w.errs = append(w.errs, fmt.Errorf("%s %s: %w", e.Host, e.Stage, err))
	}
}

// emit tells of one event: log lines are data, the rest is progress.
func (w *watch) emit(e apply.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	e.Time = time.Now()
	switch {
	case w.json:
		view.Event(w.out, e)
	case e.Type == apply.StageLog:
		fmt.Fprintf(w.out, "%s %s | %s\n", e.Host, view.Escape(e.Stage), view.LogLine(e.Message))
	default:
		w.progress.Event(e)
	}
}
