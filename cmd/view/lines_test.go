package view_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/pdprov/pdprov/cmd/view"
)

func TestLines(t *testing.T) {
	long := strings.Repeat("x", 200<<10)
	for text, want := range map[string][]string{
		"a\nb\n":           {"a", "b"},
		"a\nb":             {"a", "b"},
		"a\r\n\nb\n":       {"a", "", "b"},
		" 10%\r 20%\rok\n": {" 10%", " 20%", "ok"},
	} {
		for size := 1; size <= len(text); size++ {
			var got []string
			l := view.NewLines(func(line string) { got = append(got, line) })
			for rest := text; rest != ""; {
				n := min(size, len(rest))
				l.Write([]byte(rest[:n]))
				rest = rest[n:]
			}
			l.Close()
			if !slices.Equal(got, want) {
				t.Errorf("%q in pieces of %d: %q, want %q", text, size, got, want)
			}
		}
	}
	var got []string
	l := view.NewLines(func(line string) { got = append(got, line) })
	l.Write([]byte(long))
	if len(got) == 0 {
		t.Error("a line without end is waited for forever")
	}
	l.Close()
	if strings.Join(got, "") != long {
		t.Error("a long line is not whole")
	}
}
