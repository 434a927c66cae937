package apply

import (
	"bytes"
	"strings"
)

// tail cuts a log into lines and keeps the last ones for an error message. hide takes
// out of a line what must not be shown.
type tail struct {
	hide    func(string) string
	partial []byte
	last    []string
}

const tailLines, tailWidth = 12, 4096

func newTail(hide func(string) string) *tail { return &tail{hide: hide} }

// add takes a piece of the log and returns the lines that it completed.
func (t *tail) add(chunk []byte) (lines []string) {
	t.partial = append(t.partial, chunk...)
	for {
		i := bytes.IndexByte(t.partial, '\n')
		if i < 0 && len(t.partial) < tailWidth {
			return lines
		}
		if i < 0 || i >= tailWidth {
			i = tailWidth - 1 // a line that is too long is cut into several
		}
		line := strings.TrimRight(string(t.partial[:i+1]), "\r\n")
		if j := strings.LastIndexByte(line, '\r'); j >= 0 {
			line = line[j+1:] // a progress line shows its last state
		}
		t.partial = t.partial[i+1:]
		line = t.hide(line)
		lines = append(lines, line)
		if t.last = append(t.last, line); len(t.last) > tailLines {
			t.last = t.last[1:]
		}
	}
}

// String is the end of the log, indented, on lines of its own; "" for an empty log.
func (t *tail) String() string {
	lines := t.last
	if len(t.partial) > 0 {
		lines = append(lines[:len(lines):len(lines)], t.hide(string(t.partial)))
	}
	if len(lines) == 0 {
		return ""
	}
	return "\n  | " + strings.Join(lines, "\n  | ")
}
