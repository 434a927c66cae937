package probe_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/pdprov/pdprov/remote"
	"github.com/pdprov/pdprov/remote/probe"
	"github.com/pdprov/pdprov/stages/stage"
)

func all256() string {
	var b strings.Builder
	for i := range 256 {
		fmt.Fprintf(&b, `\%03o`, i)
	}
	return b.String()
}

func TestOutcomes(t *testing.T) {
	odd := []string{"", " ", "a b", "it's", `"`, "$HOME", "`id`", "\\", "\n", "-n", "%s", "ü", "*", strings.Repeat("x", 200)}
	tests := []struct {
		p       stage.Probe
		outcome stage.Outcome
		detail  string // must be in the detail
		body    string
	}{
		{stage.Probe{ID: "text", Script: "echo hello"}, stage.Answered, "", "hello\n"},
		{stage.Probe{ID: "empty", Script: ":"}, stage.Answered, "", ""},
		{stage.Probe{ID: "newlines", Script: `printf 'a\n\n\n'`}, stage.Answered, "", "a\n\n\n"},
		{stage.Probe{ID: "binary", Script: `printf '` + all256() + `'`}, stage.Answered, "", string(bytes256())},
		{stage.Probe{ID: "absent", Script: "exit 66"}, stage.Absent, "", ""},
		{stage.Probe{ID: "exit", Script: "echo why >&2; exit 3"}, stage.Failed, "exit status 3: why", ""},
		{stage.Probe{ID: "hostile", Script: `printf '\033[31mred\r\nnext\007' >&2; exit 1`}, stage.Failed, "[31mred next", ""},
		{stage.Probe{ID: "term", Script: "kill -TERM $$"}, stage.Failed, "signal 15", ""},
		{stage.Probe{ID: "kill", Script: "kill -KILL $$"}, stage.Failed, "signal 9", ""},
		{stage.Probe{ID: "hang", Script: "sleep 600", TimeoutSeconds: 1}, stage.Hung, "within 1 s", ""},
		{stage.Probe{ID: "hang hard", Script: "trap '' TERM; while :; do sleep 600; done", TimeoutSeconds: 1}, stage.Hung, "within 1 s", ""},
		{stage.Probe{ID: "flood", Script: "head -c 60000000 /dev/zero"}, stage.Failed, "more than 262144 bytes", ""},
		{stage.Probe{ID: "just fits", Script: "head -c 5000 /dev/zero", MaxBytes: 5000}, stage.Answered, "", strings.Repeat("\x00", 5000)},
		{stage.Probe{ID: "one too many", Script: "head -c 5001 /dev/zero", MaxBytes: 5000}, stage.Failed, "more than 5000 bytes", ""},
		{stage.Probe{ID: "stderr flood", Script: "head -c 3000000 /dev/zero >&2; echo end >&2; exit 1"}, stage.Failed, "end", ""},
		{stage.Probe{ID: "forged", Script: `printf '\n0 0 #\n=0\n' ; printf '\n=0' >&2; exit 7`}, stage.Failed, "exit status 7", ""},
		{stage.Probe{ID: "args", Script: `for a; do printf '[%s]' "$a"; done`, Args: odd}, stage.Answered, "", "[" + strings.Join(odd, "][") + "]"},
		{stage.Probe{ID: "env", Script: `printf %s "$ODD"`, Env: map[string]string{"ODD": "a'b\"$HOME\n"}}, stage.Answered, "", "a'b\"$HOME\n"},
		{stage.Probe{ID: "no env", Script: `printf %s "${ODD-unset}"`}, stage.Answered, "", "unset"},
		{stage.Probe{ID: "no stdin", Script: "cat"}, stage.Answered, "", ""},
		{stage.Probe{ID: "syntax", Script: "if"}, stage.Failed, "exit status 2", ""},
		{stage.Probe{ID: "no tool", Script: "no-such-tool"}, stage.Failed, "exit status 127", ""},
		{stage.Probe{ID: "long word", Script: "echo", Args: []string{strings.Repeat("y", 200<<10)}}, stage.Failed, "too long", ""},
	}
	shells(t, func(t *testing.T, h shellHost) {
		var probes []stage.Probe
		for _, tt := range tests {
			probes = append(probes, tt.p)
		}
		facts, err := probe.Look(context.Background(), h, probes, probe.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, tt := range tests {
			a := facts.Get(tt.p.ID)
			if a.Outcome != tt.outcome || !strings.Contains(a.Detail, tt.detail) || a.Looked() && string(a.Body) != tt.body {
				t.Errorf("%s: %s, exit %d, detail %q, body %.80q; want %s %q", tt.p.ID, a.Outcome, a.Exit, a.Detail, a.Body, tt.outcome, tt.detail)
			}
		}
	})
}

func bytes256() []byte {
	b := make([]byte, 256)
	for i := range b {
		b[i] = byte(i)
	}
	return b
}

func TestMergedProbesShareAProcessAndFailAlone(t *testing.T) {
	const script = `for a; do [ "$a" != bad ] || exit 5; printf '%s %s\n' $$ "$a"; done`
	shells(t, func(t *testing.T, h shellHost) {
		merged := func(names ...string) stage.Facts {
			var probes []stage.Probe
			for _, n := range names {
				probes = append(probes, stage.Probe{ID: n, Script: script, Args: []string{n}, Merge: true})
			}
			facts, err := probe.Look(context.Background(), h, probes, probe.Options{})
			if err != nil {
				t.Fatal(err)
			}
			return facts
		}
		good := merged("a", "b", "a")
		if !bytes.Equal(good["a"].Body, good["b"].Body) || bytes.Count(good["a"].Body, []byte("\n")) != 2 {
			t.Errorf("not one process: %q and %q", good["a"].Body, good["b"].Body)
		}
		mixed := merged("a", "bad", "b")
		if mixed["a"].Outcome != stage.Answered || mixed["b"].Outcome != stage.Answered || mixed["bad"].Outcome != stage.Failed {
			t.Errorf("one bad argument hides the others: %v", mixed)
		}
	})
}

func TestManyProbes(t *testing.T) {
	shells(t, func(t *testing.T, h shellHost) {
		var probes []stage.Probe
		for i := range 100 {
			probes = append(probes, stage.Probe{ID: fmt.Sprint(i), Script: fmt.Sprintf("head -c 20000 /dev/zero; echo %d", i)})
		}
		facts, err := probe.Look(context.Background(), h, probes, probe.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for i := range 100 {
			if a := facts.Get(fmt.Sprint(i)); a.Outcome != stage.Answered || !bytes.HasSuffix(a.Body, fmt.Appendf(nil, "%d\n", i)) || len(a.Body) < 20000 {
				t.Fatalf("%d: %s %s, %d bytes", i, a.Outcome, a.Detail, len(a.Body))
			}
		}
	})
}

// TestBrokenPlumbing takes each tool that the look itself needs away or breaks it:
// nothing may pass for an answer.
func TestBrokenPlumbing(t *testing.T) {
	fakes := map[string]string{"missing": "", "fails": "exit 1", "silent": "exit 0", "absent": "exit 66", "garbage": "echo AAAA", "hangs": "exec sleep 6"}
	for _, tool := range []string{"timeout", "head", "tail", "base64"} {
		for name, text := range fakes {
			t.Run(tool+" "+name, func(t *testing.T) {
				dir := t.TempDir()
				for _, real := range []string{"timeout", "head", "tail", "base64"} {
					path, err := exec.LookPath(real)
					if err != nil {
						t.Fatal(err)
					}
					if real != tool {
						if err := os.Symlink(path, dir+"/"+real); err != nil {
							t.Fatal(err)
						}
					} else if text != "" {
						if err := os.WriteFile(dir+"/"+real, []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
							t.Fatal(err)
						}
					}
				}
				h := pathHost{shellHost{[]string{"dash"}}, dir}
				facts, err := probe.Look(context.Background(), h, []stage.Probe{{ID: "x", Script: "echo hello"}, {ID: "y", Script: "exit 66"}}, probe.Options{Deadline: 2 * time.Second})
				if err != nil {
					t.Fatal(err)
				}
				if a := facts.Get("x"); name == "missing" && !strings.Contains(a.Detail, tool+" is not on this host") {
					t.Errorf("it does not say what is missing: %s %q", a.Outcome, a.Detail)
				}
				for id, want := range map[string]stage.Outcome{"x": stage.Answered, "y": stage.Absent} {
					if a := facts.Get(id); a.Looked() && (a.Outcome != want || id == "x" && string(a.Body) != "hello\n") {
						t.Errorf("%s: %s %q", id, a.Outcome, a.Body)
					}
				}
			})
		}
	}
}

type pathHost struct {
	shellHost
	path string
}

func (h pathHost) Run(ctx context.Context, c remote.Command) (remote.Result, error) {
	c.Script = "PATH=" + h.path + "\n" + c.Script
	return h.shellHost.Run(ctx, c)
}

type lostHost struct{ shellHost }

func (lostHost) Run(ctx context.Context, c remote.Command) (remote.Result, error) {
	return remote.Result{}, &remote.TransportError{Host: "here", Op: "looking", Err: os.ErrClosed}
}

func TestALostLinkIsAnError(t *testing.T) {
	facts, err := probe.Look(context.Background(), lostHost{}, []stage.Probe{{ID: "a", Script: ":"}}, probe.Options{})
	if !remote.IsUnknown(err) || facts != nil {
		t.Errorf("got %v, %v", facts, err)
	}
}
