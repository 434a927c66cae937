// Package view shows what the engine found and did: for people on terminals and in
// logs, and for programs as JSON. What came from a host is shown, never obeyed: its
// control characters come out as text.
package view

import (
	"io"
	"strings"

	"github.com/pdprov/pdprov/engine/plan"
)

// Style says how text for people may look. The zero value is plain text of any width.
type Style struct {
	Color bool
	Width int // columns of the terminal; 0 means that nothing is wrapped
}

// Codes of the colours that are used.
const (
	bold   = "1"
	dim    = "2"
	red    = "31"
	green  = "32"
	yellow = "33"
	purple = "35"
)

func (s Style) paint(code, text string) string {
	if !s.Color || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// mark is the sign of an action in front of its entry.
func (s Style) mark(a plan.Action) string {
	switch a {
	case plan.Create:
		return s.paint(green, "+")
	case plan.Update:
		return s.paint(yellow, "~")
	case plan.Delete:
		return s.paint(red, "-")
	case plan.Blocked:
		return s.paint(purple, "!")
	default:
		return " "
	}
}

// wrap breaks running text at spaces so that lines with this indent fit the width; a
// longer word stays whole.
func (s Style) wrap(text, indent string) string {
	var lines []string
	for _, line := range strings.Split(text, "\n") {
		lines = append(lines, s.wrapLine(line, indent)...)
	}
	return strings.Join(lines, "\n")
}

func (s Style) wrapLine(line, indent string) []string {
	room := s.Width - width(indent)
	if s.Width <= 0 || width(line) <= room {
		return []string{indent + line}
	}
	var lines []string
	current := ""
	for _, word := range strings.Fields(line) {
		if current != "" && width(current)+1+width(word) > room {
			lines = append(lines, indent+current)
			current = ""
		}
		if current != "" {
			current += " "
		}
		current += word
	}
	return append(lines, indent+current)
}

// output keeps the first error of a row of writes.
type output struct {
	w   io.Writer
	err error
}

func (o *output) print(parts ...string) {
	if o.err == nil {
		_, o.err = io.WriteString(o.w, strings.Join(parts, ""))
	}
}

func (o *output) line(parts ...string) { o.print(strings.Join(parts, ""), "\n") }
