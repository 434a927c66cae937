package apply

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTailCutsLines(t *testing.T) {
	log := newTail(strings.ToLower)
	var got []string
	for _, chunk := range []string{"ONE\ntw", "o\n10%\r20%\r30%\n", "\r\nlast"} {
		got = append(got, log.add([]byte(chunk))...)
	}
	if d := cmp.Diff([]string{"one", "two", "30%", ""}, got); d != "" {
		t.Error(d)
	}
	if s := log.String(); !strings.HasSuffix(s, "| last") {
		t.Errorf("%q: the end without a newline belongs to it", s)
	}
}

func TestTailKeepsTheEndOfALongLog(t *testing.T) {
	log := newTail(strings.ToLower)
	for range 100 {
		log.add([]byte(strings.Repeat("x", 3*tailWidth) + "\n"))
	}
	log.add([]byte("the end\n"))
	if s := log.String(); !strings.HasSuffix(s, "the end") || len(s) > tailLines*(tailWidth+10) {
		t.Errorf("%d bytes", len(s))
	}
}
