package view

import (
	"io"
	"strconv"
	"strings"

	"github.com/pdprov/pdprov/engine/apply"
)

// Outcome is the last line of an apply; "" when there was nothing to do.
func Outcome(s apply.Summary) string {
	var parts []string
	for _, n := range []struct {
		count int
		word  string
	}{{s.Failed, "failed"}, {s.Unknown, "unknown"}, {s.Skipped, "skipped"}} {
		if n.count > 0 {
			parts = append(parts, strconv.Itoa(n.count)+" "+n.word)
		}
	}
	lost := ""
	if s.Unreachable > 0 {
		lost = "; " + count(s.Unreachable, "host") + " unreachable"
	}
	if s.Done == 0 && len(parts) == 0 && lost == "" {
		return ""
	}
	parts = append([]string{strconv.Itoa(s.Done) + " done"}, parts...)
	return "Applied: " + strings.Join(append(parts, strconv.Itoa(s.InSync)+" in sync"), ", ") + lost + "."
}

// Errors shows errors one after the other, each with all its lines.
func Errors(w io.Writer, errs []error, s Style) error {
	o := &output{w: w}
	for _, err := range errs {
		head, rest, more := strings.Cut(strings.TrimSpace(err.Error()), "\n")
		o.line(s.paint(red, "Error: "), Escape(head))
		if more {
			o.line("  ", strings.ReplaceAll(EscapeLines(rest), "\n", "\n  "))
		}
	}
	return o.err
}
