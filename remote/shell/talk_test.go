package shell

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/pdprov/pdprov/remote"
)

func TestNothingOfTheScriptIsInArgv(t *testing.T) {
	for _, sudo := range []Sudo{NoSudo, WithoutPassword, WithPassword} {
		line := NewStart("echo secret", sudo).Line()
		if strings.Contains(line, "secret") || strings.ContainsAny(line, "\n!\\") {
			t.Errorf("a login shell would get %q", line)
		}
		if strings.Contains(bootstrap, "'") {
			t.Error("the bootstrap has a single quote")
		}
	}
}

// TestGateAtEveryBorder cuts a stream at every place: what is found must not depend on it.
func TestGateAtEveryBorder(t *testing.T) {
	stream := []byte("noise MARK-\nASK noise2 ASKMARK\nout\nMARK\nASK")
	for size := 1; size <= len(stream); size++ {
		var out bytes.Buffer
		asked, opened := 0, 0
		g := gate{
			marker: []byte("MARK\n"), to: &out, onOpen: func() { opened++ },
			watch: []watched{{[]byte("ASK"), func() { asked++ }}},
		}
		for rest := stream; len(rest) > 0; {
			n := min(size, len(rest))
			g.Write(rest[:n])
			rest = rest[n:]
		}
		if out.String() != "out\nMARK\nASK" || asked != 2 || opened != 1 || g.noise() != "noise MARK-\n noise2" {
			t.Errorf("in pieces of %d: %q came out, %d questions, opened %d times, noise %q", size, out.String(), asked, opened, g.noise())
		}
	}
}

func TestGateIsFoundAfterMuchNoise(t *testing.T) {
	var out bytes.Buffer
	g := gate{marker: []byte("MARK\n"), to: &out, onOpen: func() {}}
	for range 10_000 {
		g.Write([]byte("0123456789 MAR"))
	}
	g.Write([]byte("MA"))
	g.Write([]byte("RK\nout"))
	if out.String() != "out" || len(g.before) > heldBytes+100 {
		t.Errorf("%q came out, %d bytes are held", out.String(), len(g.before))
	}
}

func FuzzEnds(f *testing.F) {
	f.Add("begin", "end", 3)
	f.Fuzz(func(t *testing.T, a, b string, times int) {
		e := ends{max: 20}
		var all []byte
		for range min(max(times, 1), 50) {
			for _, p := range []string{a, b} {
				e.Write([]byte(p))
				all = append(all, p...)
			}
		}
		got := e.bytes()
		if len(all) <= 10 && !bytes.Equal(got, all) {
			t.Errorf("%q became %q", all, got)
		}
		if !bytes.HasPrefix(got, all[:min(len(all), 10)]) || !bytes.HasSuffix(got, all[max(len(all)-10, 0):]) {
			t.Errorf("%q became %q", all, got)
		}
	})
}

func TestOutputThatCannotBeKeptDoesNotStopTheScript(t *testing.T) {
	start := NewStart("true", NoSudo)
	full := errors.New("disk full")
	talk := NewTalk(start, remote.Command{Stdout: failing{full}}, Hooks{Started: func() {}})
	said := "pdprov-start " + start.nonce + "\n" + strings.Repeat("x", 1<<20)
	talk.Run(discard{}, strings.NewReader(said), strings.NewReader(""))
	if _, err := talk.Result(); !errors.Is(err, full) {
		t.Errorf("got %v", err)
	}
}

func TestNothingComesAfterStop(t *testing.T) {
	start := NewStart("true", NoSudo)
	var out bytes.Buffer
	talk := NewTalk(start, remote.Command{Stdout: &out}, Hooks{Started: func() {}})
	r, w := io.Pipe()
	done := make(chan struct{})
	go func() { talk.Run(discard{}, r, strings.NewReader("")); close(done) }()
	io.WriteString(w, "pdprov-start "+start.nonce+"\nbefore")
	<-talk.Started()
	talk.Stop()
	io.WriteString(w, "after")
	w.Close()
	<-done
	if strings.Contains(out.String(), "after") {
		t.Errorf("%q came out", out.String())
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
func (discard) Close() error                { return nil }

func TestProof(t *testing.T) {
	denied := &remote.ConnectError{Reason: remote.SudoDenied}
	p, runs := NewProof(), 0
	wrong := func(func()) (remote.Result, error) { runs++; return remote.Result{}, denied }
	for range 3 {
		if _, err := p.Try(t.Context(), wrong); !errors.Is(err, denied) {
			t.Errorf("got %v", err)
		}
	}
	if runs != 1 {
		t.Errorf("a wrong password was tried %d times", runs)
	}
}

func TestProofLetsScriptsRunSideBySideOnceOneStarted(t *testing.T) {
	p := NewProof()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := p.Try(t.Context(), func(started func()) (remote.Result, error) {
		if _, err := p.Try(ctx, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("a second script ran before the first had started: %v", err)
		}
		started()
		return p.Try(t.Context(), func(started func()) (remote.Result, error) {
			started()
			return remote.Result{}, nil
		})
	})
	if err != nil {
		t.Error(err)
	}
}
