package view

import (
	"io"
	"strings"
)

// diffLine is one line of a comparison; sign is ' ', '+', '-', or 0 for a gap.
type diffLine struct {
	sign byte
	textLine
}

// textLine is a line of a text; open says that it is the last and has no line end.
type textLine struct {
	text string
	open bool
}

const (
	contextLines = 2       // shown around a change
	maxCells     = 4 << 20 // above this no common lines are looked for
	maxShown     = 60      // lines of one value
)

// diff compares two texts line by line and keeps only what is near a change.
func diff(was, wanted string) []diffLine {
	a, b := textLines(was), textLines(wanted)
	if len(a)*len(b) > maxCells {
		return append(signed('-', a), signed('+', b)...)
	}
	return near(common(a, b))
}

// textLines splits a text; a missing line end is a difference that is shown.
func textLines(s string) []textLine {
	var lines []textLine
	for s != "" {
		text, rest, closed := strings.Cut(s, "\n")
		lines = append(lines, textLine{text, !closed})
		s = rest
	}
	return lines
}

func signed(sign byte, lines []textLine) []diffLine {
	out := make([]diffLine, 0, len(lines))
	for _, l := range lines {
		out = append(out, diffLine{sign, l})
	}
	return out
}

// common aligns two lists of lines along their longest common subsequence.
func common(a, b []textLine) []diffLine {
	length := make([][]int, len(a)+1)
	for i := range length {
		length[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				length[i][j] = length[i+1][j+1] + 1
			} else {
				length[i][j] = max(length[i+1][j], length[i][j+1])
			}
		}
	}
	var out []diffLine
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		switch {
		case a[i] == b[j]:
			out = append(out, diffLine{' ', a[i]})
			i, j = i+1, j+1
		case length[i+1][j] >= length[i][j+1]:
			out = append(out, diffLine{'-', a[i]})
			i++
		default:
			out = append(out, diffLine{'+', b[j]})
			j++
		}
	}
	return append(append(out, signed('-', a[i:])...), signed('+', b[j:])...)
}

// near drops unchanged lines far from a change.
func near(lines []diffLine) []diffLine {
	keep := make([]bool, len(lines))
	for i, l := range lines {
		if l.sign != ' ' {
			for k := max(0, i-contextLines); k <= min(len(lines)-1, i+contextLines); k++ {
				keep[k] = true
			}
		}
	}
	var out []diffLine
	gap := false
	for i, l := range lines {
		switch {
		case keep[i]:
			out = append(out, l)
		case !gap:
			out = append(out, diffLine{})
		}
		gap = !keep[i]
	}
	return out
}

// Difference shows how a text changes, line by line, under its name.
func Difference(w io.Writer, name, was, wanted string, s Style) error {
	o := &output{w: w}
	o.line(s.paint(bold, Escape(name)))
	for _, l := range diff(was, wanted) {
		o.diffLine(l, s)
	}
	return o.err
}
