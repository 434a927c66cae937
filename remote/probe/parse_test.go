package probe

import (
	"strings"
	"testing"

	"github.com/pdprov/pdprov/stages/stage"
)

// FuzzParser: whatever a host prints without knowing the nonce, no question gets an answer.
func FuzzParser(f *testing.F) {
	f.Add("0 #0\n", "N 0 #0\nN 1 Ky4=\n")
	f.Add("N 0 Ky4=\nN 0 -Cj0w\nN 0 #0\n", "")
	f.Fuzz(func(t *testing.T, a, b string) {
		p := newParser("secret-nonce", make([]question, 2))
		for _, chunk := range []string{a, b, "\n"} {
			p.Write([]byte(chunk))
		}
		if strings.Contains(a+b, "secret-nonce") {
			return
		}
		for _, r := range p.raw {
			if got := r.answer(question{maxBytes: 10}, stage.Answer{Outcome: stage.Hung}); got.Looked() {
				t.Fatalf("%q %q: %v", a, b, got)
			}
		}
	})
}

func TestAnswerCutAnywhereIsNeverAnswered(t *testing.T) {
	whole := "n 0 K2hlbGxvLg==\nn 0 -Cj0w\nn 0 #0\n" // "\n=0" and "+hello."
	q := question{maxBytes: 10}
	p := newParser("n", []question{q})
	p.Write([]byte(whole))
	if a := p.raw[0].answer(q, stage.Answer{}); a.Outcome != stage.Answered || string(a.Body) != "hello" {
		t.Fatalf("whole: %+v", a)
	}
	for i := range whole {
		for _, keep := range []string{whole[:i], whole[:i] + whole[i+1:]} {
			p := newParser("n", []question{q})
			p.Write([]byte(keep))
			if a := p.raw[0].answer(q, stage.Answer{Outcome: stage.Hung}); a.Looked() && string(a.Body) != "hello" {
				t.Errorf("%q: %+v", keep, a)
			}
		}
	}
}
