package cli

import (
	"context"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/pdprov/pdprov/cmd/view"
	"github.com/pdprov/pdprov/engine/plan"
	"github.com/pdprov/pdprov/stages/stage"
)

// asked is a terminal whose person typed a text; both outputs go to out.
func asked(t *testing.T, typed string) (a *app, out *os.File) {
	t.Helper()
	in, keys, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err = os.Create(t.TempDir() + "/out")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); keys.Close(); out.Close() })
	io.WriteString(keys, typed)
	return &app{terminal: &terminal{in: in, out: out, err: out, progress: view.NewProgress(out, view.Style{}, false)}}, out
}

func change() *plan.Plan {
	return &plan.Plan{
		Hosts: []plan.Host{{Name: "h1", State: plan.HostOK, Holder: "me"}},
		Entries: []plan.Entry{{
			Host: "h1", Stage: "file.a", Action: plan.Create, Certainty: plan.Certain, Impact: "none",
			Changes: []stage.Change{{Path: "mode", Old: stage.Nothing(), New: stage.Is("0644"), Cause: stage.CauseNew}},
		}},
		Summary: plan.Summary{Change: 1},
	}
}

func TestOnlyYesApproves(t *testing.T) {
	for typed, want := range map[string]bool{"yes\n": true, "y\n": false, "Yes\n": false, "\n": false, "no\n": false, "yes please\n": false} {
		a, out := asked(t, typed)
		got, err := a.approve(t.Context(), change(), false)
		if err != nil || got != want {
			t.Errorf("%q: %v, %v", typed, got, err)
		}
		text, _ := os.ReadFile(out.Name())
		if !strings.Contains(string(text), "Apply these changes to 1 host? Only 'yes' is accepted:") {
			t.Errorf("the question is not there:\n%s", text)
		}
		if strings.Contains(string(text), "lock") {
			t.Errorf("the apply's own lock is shown:\n%s", text)
		}
	}
}

func TestNothingToAsk(t *testing.T) {
	a, _ := asked(t, "")
	if ok, err := a.approve(t.Context(), change(), true); !ok || err != nil {
		t.Errorf("--auto-approve: %v, %v", ok, err)
	}
	calm := &plan.Plan{Hosts: []plan.Host{{Name: "h1", State: plan.HostOK}}, Summary: plan.Summary{InSync: 1}}
	if ok, err := a.approve(t.Context(), calm, false); !ok || err != nil {
		t.Errorf("no change: %v, %v", ok, err)
	}
}

// TestInterruptEndsTheQuestion has nobody type: only the interrupt can end the wait.
func TestInterruptEndsTheQuestion(t *testing.T) {
	a, _ := asked(t, "")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if ok, err := a.approve(ctx, change(), false); ok || err == nil {
		t.Errorf("%v, %v", ok, err)
	}
}
