package view

import (
	"io"

	"github.com/pdprov/pdprov/engine/plan"
	"github.com/pdprov/pdprov/stages/stage"
)

// Audit shows what is installed on each host, stage by stage, then what drifted from
// the plan and why, and ends with the summary line.
func Audit(w io.Writer, p *plan.Plan, s Style) error {
	o := &output{w: w}
	for _, h := range p.Hosts {
		o.host(h, s)
		for _, e := range of(p, h.Name) {
			o.installed(e, s)
		}
		o.line()
	}
	o.drift(p, s)
	o.line(AuditSummary(p))
	return o.err
}

// AuditSummary is the last line of an audit.
func AuditSummary(p *plan.Plan) string {
	if clean(p) {
		return "No drift. " + inSync(p)
	}
	return "Audit: " + counts(p, "drifted")
}

func (o *output) drift(p *plan.Plan, s Style) {
	for _, h := range p.Hosts {
		titled := false
		for _, e := range of(p, h.Name) {
			if e.Action == plan.None {
				continue
			}
			if !titled {
				o.line(s.paint(bold, "Drift on "+Escape(h.Name)))
				titled = true
			}
			o.entry(e, s)
		}
		if titled {
			o.line()
		}
	}
}

// installed is the table of a stage: every path that the host shows, with its value.
func (o *output) installed(e plan.Entry, s Style) {
	if e.Orphan() {
		o.orphan(e, s)
		return
	}
	o.line("  ", s.paint(bold, Escape(e.Stage)), "   ", state(e, s))
	gpus, rest := ofGPUs(e.Installed)
	widest := 0
	for path := range rest {
		widest = max(widest, min(width(Escape(path)), 40))
	}
	for _, path := range rest.Paths() {
		o.line("    ", pad(Escape(path), widest), "  ", s.cell(installedValue(e, path), 4+widest+2))
	}
	o.installedGPUs(gpus)
}

func state(e plan.Entry, s Style) string {
	switch {
	case e.Action == plan.None:
		return s.paint(green, "in sync")
	case e.Action == plan.Blocked && e.Refused():
		return s.paint(red, "impossible")
	case e.Action == plan.Blocked:
		return s.paint(purple, "unknown")
	default:
		return s.paint(yellow, "drifted")
	}
}

// installedValue is a seen value; where the wish is a secret the sight is one as well.
func installedValue(e plan.Entry, path string) stage.Value {
	v := e.Installed[path]
	v.Secret = v.Secret || e.Want[path].Secret
	return v
}

// cell is a value on one line that fits behind used columns; a longer one ends in "...".
func (s Style) cell(v stage.Value, used int) string {
	text := value(v)
	if v.State == stage.Unknown && v.Reason != "" {
		text += " " + Escape(v.Reason)
	}
	room := max(20, s.Width-used)
	if s.Width <= 0 {
		room = 160
	}
	if runes := []rune(text); len(runes) > room {
		return string(runes[:room-3]) + "..."
	}
	return text
}
