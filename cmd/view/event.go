package view

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/pdprov/pdprov/engine/apply"
)

// Event prints one event as one line of JSON.
func Event(w io.Writer, e apply.Event) error { return encode(w, e, "") }

// eventLine is an event as a line for people; "" where the line would tell nothing.
// Hosts that take no part are in the plan and among the failures at the end.
func eventLine(e apply.Event, s Style) string {
	where := s.paint(bold, Escape(strings.TrimSpace(e.Host+" "+e.Stage))) + ": "
	problem := strings.TrimPrefix(firstLine(e.Error), Escape(e.Host)+": ")
	switch e.Type {
	case apply.LockWaiting:
		return where + "waiting for the lock, held by " + Escape(e.Message)
	case apply.StageLog: // who is waited for; the rest is in the log
		if strings.HasPrefix(e.Message, "waiting: ") {
			return where + Escape(e.Message)
		}
		return ""
	case apply.JobAttached:
		return where + "attached to a running job, " + Escape(e.Message)
	case apply.StageStarted:
		return where + "started"
	case apply.StageDone:
		return where + s.paint(green, "done") + duration(e.Message)
	case apply.StageFailed:
		return where + s.paint(red, "failed: ") + strings.TrimPrefix(problem, "failed with ")
	case apply.StageUnknown:
		return where + s.paint(purple, "unknown: ") + problem
	case apply.StageSkipped:
		return where + "skipped: " + Escape(e.Message)
	case apply.HostRebooting:
		return where + s.paint(yellow, "the host reboots")
	case apply.HostBack:
		return where + "the host is back" + duration(e.Message)
	case apply.LinkLost:
		return where + "the link is lost: " + problem
	case apply.LinkBack:
		return where + "the link is back"
	default:
		return ""
	}
}

// firstLine of an error; all of it is told at the end.
func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return Escape(line)
}

// duration reads the engine's "1.2s" and says " in 1.2 s"; "" where there is none.
func duration(text string) string {
	d, err := time.ParseDuration(text)
	switch {
	case err != nil:
		return ""
	case d < time.Minute:
		return fmt.Sprintf(" in %.1f s", d.Seconds())
	default:
		return " in " + d.Round(time.Second).String()
	}
}
