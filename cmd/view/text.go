package view

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pdprov/pdprov/stages/stage"
)

// Escape makes running text harmless for a terminal: what cannot be printed comes out
// as \n, \x1b, \u202e. Line ends are escaped as well.
func Escape(s string) string {
	if printable(s) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[0])
		case unicode.IsPrint(r):
			b.WriteRune(r)
		default:
			quoted := strconv.QuoteRune(r)
			b.WriteString(quoted[1 : len(quoted)-1])
		}
		s = s[size:]
	}
	return b.String()
}

// EscapeLines escapes like Escape and keeps line ends.
func EscapeLines(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = Escape(lines[i])
	}
	return strings.Join(lines, "\n")
}

func printable(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
}

// value is a value on one line. A text that could pass for something else is quoted.
func value(v stage.Value) string {
	if v.State != stage.Present || v.Secret {
		return Escape(v.String())
	}
	return word(v.Text)
}

// word quotes a text that is empty, not printable, or would be read as something else.
func word(s string) string {
	switch {
	case s == "", !printable(s), strings.TrimSpace(s) != s, s[0] == '"', s[0] == '(', strings.Contains(s, " -> "):
		return strconv.Quote(s)
	}
	return s
}

// contentLine is a line of a multi-line content: tabs stay, all else that cannot be
// seen is quoted.
func contentLine(s string) string {
	if printable(strings.ReplaceAll(s, "\t", "")) && strings.TrimRight(s, " \t") == s {
		return s
	}
	return strconv.Quote(s)
}

// width counts columns well enough for wrapping: one a rune.
func width(s string) int { return utf8.RuneCountInString(s) }

func pad(s string, n int) string { return s + strings.Repeat(" ", max(0, n-width(s))) }

// count is a number with its noun: "1 stage", "2 stages".
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}
