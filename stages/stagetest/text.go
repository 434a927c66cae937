package stagetest

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/pdprov/pdprov/engine/plan"
	"github.com/pdprov/pdprov/stages/stage"
)

// planText is everything of a plan that a kind answers for, as text for a golden file.
func planText(p *plan.Plan) string {
	var b strings.Builder
	if p == nil {
		return ""
	}
	for _, e := range p.Entries {
		entryText(&b, e)
	}
	return b.String()
}

func entryText(b *strings.Builder, e plan.Entry) {
	fmt.Fprintf(b, "%s %s: %s, %s, impact %s\n", e.Host, e.Stage, e.Action, e.Certainty, e.ImpactText())
	for _, addr := range e.Because {
		fmt.Fprintf(b, "  because %s\n", addr)
	}
	for _, c := range e.Changes {
		fmt.Fprintf(b, "  ~ %s: %s -> %s%s\n", c.Path, valueText(c.Old), valueText(c.New), byText(c))
	}
	for _, ev := range e.Evidence {
		fmt.Fprintf(b, "  ! %s: %s: %s\n", ev.Probe, ev.Outcome, indent(ev.Detail))
	}
	for _, w := range e.Warnings {
		fmt.Fprintf(b, "  warning: %s\n", indent(w))
	}
	for _, path := range e.Installed.Paths() {
		fmt.Fprintf(b, "  = %s: %s\n", path, valueText(e.Installed[path]))
	}
	workText(b, e.Work)
	b.WriteString("\n")
}

// longFile is how many lines a file of a step may have to be shown; longer ones are
// libraries that would drown the case.
const longFile = 40

func workText(b *strings.Builder, w stage.Work) {
	if len(w.Steps) == 0 {
		return
	}
	fmt.Fprintf(b, "  writes %v, locks %v, timeout %d s\n", w.Writes, w.Locks, w.TimeoutSeconds)
	stepText(b, w.Steps)
	if p := w.Partner; p != nil {
		fmt.Fprintf(b, "  on the host of %s, timeout %d s\n", p.Stage, p.TimeoutSeconds)
		stepText(b, p.Steps)
	}
}

func stepText(b *strings.Builder, steps []stage.Step) {
	for _, s := range steps {
		fmt.Fprintf(b, "  step %s\n%s", s.Title, block(s.Script))
		for _, name := range sortedKeys(s.Env) {
			fmt.Fprintf(b, "    env %s=%q\n", name, s.Env[name])
		}
		for _, f := range s.Files {
			text := block(string(f.Data))
			if strings.Count(text, "\n") > longFile {
				text = "    | (a long file)\n"
			}
			fmt.Fprintf(b, "    file %s\n%s", f.Name, text)
		}
	}
}

// valueText quotes what would not be one plain line.
func valueText(v stage.Value) string {
	s := v.String()
	if v.State == stage.Present && (s == "" || strings.ContainsAny(s, "\n\t\r\\\"")) {
		return fmt.Sprintf("%q", s)
	}
	return s
}

func byText(c stage.Change) string {
	if c.By == "" {
		return ""
	}
	return " (by " + c.By + ")"
}

// block indents text as lines with a bar, so that its end can be seen.
func block(s string) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		b.WriteString("    | " + strings.TrimSuffix(line, "\n") + "\n")
	}
	return b.String()
}

func indent(s string) string {
	return strings.ReplaceAll(strings.TrimRight(s, "\n"), "\n", "\n      ")
}

// diagText lists diagnostics as "file:line,col-line,col: severity: summary; detail".
func diagText(diags hcl.Diagnostics, dir string) string {
	var b strings.Builder
	for _, d := range diags {
		at := "(no place)"
		if d.Subject != nil {
			r := *d.Subject
			if rel, err := filepath.Rel(dir, r.Filename); err == nil {
				r.Filename = rel
			}
			at = r.String()
		}
		severity := "error"
		if d.Severity == hcl.DiagWarning {
			severity = "warning"
		}
		fmt.Fprintf(&b, "%s: %s: %s; %s\n", at, severity, d.Summary, indent(d.Detail))
	}
	return b.String()
}
