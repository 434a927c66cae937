package view_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"

	"github.com/pdprov/pdprov/cmd/view"
	"github.com/pdprov/pdprov/engine/apply"
	"github.com/pdprov/pdprov/engine/plan"
	"github.com/pdprov/pdprov/stages/stage"
)

// evil is what a host could say to take a terminal over, to hide text or to forge lines.
const evil = "a\x1b[2Jb\x1b]0;t\x07c\rd\x00e\u202ef\u200bg\x9bh\xffi\u0085j\x7fk"

// hostile is a plan whose every text of a host is evil.
func hostile() *plan.Plan {
	v := stage.Is(evil)
	return &plan.Plan{
		Hosts: []plan.Host{
			{Name: "h1", State: plan.HostOK, Holder: evil, Running: []plan.Running{{Stage: evil, Since: evil, Owner: evil}}},
			{Name: "h2", State: plan.HostUnreachable, Error: evil + "\n" + evil},
		},
		Entries: []plan.Entry{
			{
				Host: "h1", Stage: "file.a", Action: plan.Update, Certainty: plan.Predicted, Because: []string{evil}, Impact: "restart", ImpactOn: evil,
				Changes: []stage.Change{
					{Path: evil, Old: v, New: stage.Is("x"), Cause: stage.CauseHost, By: evil},
					{Path: "content", Old: stage.Is(evil + "\n" + evil), New: stage.Is("x\ny\n"), Cause: stage.CauseHost, By: evil},
				},
				Installed: stage.Surface{evil: v, "u": {State: stage.Unknown, Reason: evil}},
			},
			{Host: "h1", Stage: evil, Action: plan.Blocked, Certainty: plan.Certain, Impact: "none", Evidence: []plan.Evidence{{Probe: evil, Outcome: evil, Detail: evil}}},
			{Host: "h1", Stage: evil, Action: plan.None, Certainty: plan.Certain, Impact: "none", Changes: []stage.Change{{Path: evil, Old: v, Cause: stage.CauseOrphan, By: evil}}},
		},
		Summary: plan.Summary{Change: 1, Blocked: 1, Unreachable: 1},
	}
}

func TestHostileText(t *testing.T) {
	for name, show := range map[string]func(io.Writer) error{
		"plan":        func(w io.Writer) error { return view.Plan(w, hostile(), view.Style{}) },
		"plan narrow": func(w io.Writer) error { return view.Plan(w, hostile(), view.Style{Width: 40}) },
		"audit":       func(w io.Writer) error { return view.Audit(w, hostile(), view.Style{}) },
		"errors":      func(w io.Writer) error { return view.Errors(w, []error{errors.New(evil + "\n" + evil)}, view.Style{}) },
		"status": func(w io.Writer) error {
			return view.Statuses(w, []view.Status{{
				Host: hostile().Hosts[0], Applied: []view.Applied{{Stage: evil, At: evil, Owner: evil, Run: evil}},
				Unknown: []plan.Evidence{{Probe: evil, Outcome: evil, Detail: evil}},
			}}, view.Style{})
		},
		"facts": func(w io.Writer) error {
			return view.Facts(w, []view.HostFacts{{Host: hostile().Hosts[1], Answers: []view.Answered{{Probe: evil, Outcome: "failed", Detail: evil}}}}, true, view.Style{})
		},
		"jobs": func(w io.Writer) error {
			j := view.Job{Host: evil, Stage: evil, Run: evil, State: "done", How: evil, Since: evil, Owner: evil}
			io.WriteString(w, view.JobLine(j)+"\n")
			return view.Jobs(w, []view.Job{j}, view.Style{})
		},
		"diagnostics": func(w io.Writer) error {
			return view.Diagnostics(w, hcl.Diagnostics{{Severity: hcl.DiagError, Summary: evil, Detail: evil}}, nil, view.Style{})
		},
		"log line": func(w io.Writer) error { _, err := io.WriteString(w, view.LogLine(evil)); return err },
		"events": func(w io.Writer) error {
			p := view.NewProgress(w, view.Style{}, false)
			for _, k := range []apply.EventType{apply.LockWaiting, apply.JobAttached, apply.StageDone, apply.StageFailed, apply.StageUnknown, apply.StageSkipped, apply.LinkLost} {
				p.Event(apply.Event{Type: k, Host: "h1", Stage: evil, Message: evil, Error: evil + "\n" + evil})
			}
			p.Close()
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			if err := show(&b); err != nil {
				t.Fatal(err)
			}
			text := b.String()
			if !strings.Contains(text, `\x1b[2Jb`) {
				t.Errorf("the text is not there: %q", text)
			}
			if i := strings.IndexFunc(text, func(r rune) bool { return r != '\n' && r != '\t' && !unicode.IsPrint(r) }); i >= 0 || !utf8.ValidString(text) {
				t.Errorf("not harmless at byte %d: %q", i, text)
			}
		})
	}
}

// TestValuesAreNotMistaken shows values that look like something else.
func TestValuesAreNotMistaken(t *testing.T) {
	for text, want := range map[string]string{
		"":          `""`,
		" a ":       `" a "`,
		"(absent)":  `"(absent)"`,
		"a -> b":    `"a -> b"`,
		"\"a\"":     `"\"a\""`,
		"a\tb":      `"a\tb"`,
		`a\tb`:      `a\tb`,
		"日本語 ünï":   "日本語 ünï",
		"\u202eabc": `"\u202eabc"`,
	} {
		p := &plan.Plan{
			Hosts: []plan.Host{{Name: "h1", State: plan.HostOK}},
			Entries: []plan.Entry{{
				Host: "h1", Stage: "file.a", Action: plan.Update, Certainty: plan.Certain, Impact: "none",
				Changes: []stage.Change{{Path: "p", Old: stage.Is(text), New: stage.Is("x"), Cause: stage.CauseNew}},
			}},
		}
		var b bytes.Buffer
		if err := view.Plan(&b, p, view.Style{}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), "p: "+want+" -> x") {
			t.Errorf("%q is shown as\n%s", text, b.String())
		}
	}
}

// TestHostileJSON: JSON on a terminal takes nothing over, and says what it said.
func TestHostileJSON(t *testing.T) {
	said := strings.ToValidUTF8(evil, "\ufffd") + "\U000e0001" // a tag, beyond what \u can write at once
	for name, show := range map[string]func(io.Writer) error{
		"document": func(w io.Writer) error { return view.JSON(w, map[string]string{"message": said}) },
		"event": func(w io.Writer) error {
			return view.Event(w, apply.Event{Type: apply.StageLog, Message: said})
		},
	} {
		var b bytes.Buffer
		if err := show(&b); err != nil {
			t.Fatal(err)
		}
		if i := strings.IndexFunc(b.String(), func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }); i >= 0 {
			t.Errorf("%s: not harmless at byte %d: %q", name, i, b.String())
		}
		var back struct{ Message string }
		if err := json.Unmarshal(b.Bytes(), &back); err != nil || back.Message != said {
			t.Errorf("%s: %v %q, wanted %q", name, err, back.Message, said)
		}
	}
}
