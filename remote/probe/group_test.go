package probe_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/pdprov/pdprov/remote/probe"
	"github.com/pdprov/pdprov/stages/stage"
)

// TestQuickQuestionsShareProcesses: each still gets its own answer, and one that fails,
// hangs, ends its shell or floods takes no other with it.
func TestQuickQuestionsShareProcesses(t *testing.T) {
	odd := []string{"fail", "hang", "absent", "kill", "flood", "exit", "bin", "args", "cd"}
	scripts := map[string]string{
		"fail": "echo why >&2; exit 3", "hang": "sleep 600", "absent": "exit 66", "kill": "kill -KILL $PPID; kill -KILL $$",
		"flood": "head -c 3000000 /dev/zero", "exit": "echo part; exit 0", "bin": `printf 'a\000b\n\n'`, "args": `printf '<%s>' "$@"`,
		"cd": "cd /; exec 3>&1; pwd >&3",
	}
	want := map[string]string{
		"fail": "failed", "hang": "hung", "absent": "absent", "kill": "failed", "flood": "failed",
		"exit": "answered part\n", "bin": "answered a\x00b\n\n", "args": "answered <a b><>", "cd": "answered /\n",
	}
	shells(t, func(t *testing.T, h shellHost) {
		var probes []stage.Probe
		for _, name := range odd {
			p := stage.Probe{ID: name, Script: scripts[name], Quick: true, TimeoutSeconds: 2}
			if name == "args" {
				p.Args = []string{"a b", ""}
			}
			probes = append(probes, p)
		}
		for i := range 20 {
			probes = append(probes, stage.Probe{ID: fmt.Sprint(i), Script: fmt.Sprintf("echo %d $PPID", i), Quick: true, TimeoutSeconds: 2})
		}
		facts, err := probe.Look(context.Background(), h, probes, probe.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for name, w := range want {
			a := facts.Get(name)
			got := strings.TrimSpace(a.Outcome.String())
			if a.Outcome == stage.Answered {
				got += " " + string(a.Body)
			}
			if got != w {
				t.Errorf("%s: %q (%s), want %q", name, got, a.Detail, w)
			}
		}
		for i := range 20 {
			if a := facts.Get(fmt.Sprint(i)); !strings.HasPrefix(string(a.Body), fmt.Sprintf("%d ", i)) {
				t.Errorf("%d: %s %q %s", i, a.Outcome, a.Body, a.Detail)
			}
		}
	})
}
