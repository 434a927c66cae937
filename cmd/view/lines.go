package view

import (
	"bytes"
	"strings"
)

// Lines cuts a job's log into lines and hands out each. A carriage return begins a new
// line, as programs that draw progress mean it. Close hands out what is left.
type Lines struct {
	each    func(line string)
	partial []byte
}

// longestLine is how much of a line is waited for before a piece of it is handed out.
const longestLine = 64 << 10

// NewLines makes a Lines.
func NewLines(each func(line string)) *Lines { return &Lines{each: each} }

// Write takes a piece of the log; it never fails.
func (l *Lines) Write(p []byte) (int, error) {
	l.partial = append(l.partial, p...)
	for {
		i := bytes.IndexByte(l.partial, '\n') + 1
		if i == 0 && len(l.partial) >= longestLine {
			i = longestLine
		}
		if i == 0 {
			return len(p), nil
		}
		l.hand(l.partial[:i])
		l.partial = l.partial[i:]
	}
}

// Close hands out a last line that has no end.
func (l *Lines) Close() error {
	if len(l.partial) > 0 {
		l.hand(l.partial)
		l.partial = nil
	}
	return nil
}

func (l *Lines) hand(line []byte) {
	for _, part := range strings.Split(strings.TrimRight(string(line), "\r\n"), "\r") {
		l.each(part)
	}
}

// LogLine is a line of a log for people: tabs stay, other control characters come out
// as text.
func LogLine(line string) string {
	cells := strings.Split(line, "\t")
	for i := range cells {
		cells[i] = Escape(cells[i])
	}
	return strings.Join(cells, "\t")
}
