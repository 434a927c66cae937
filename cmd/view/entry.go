package view

import (
	"strings"

	"github.com/pdprov/pdprov/engine/plan"
	"github.com/pdprov/pdprov/stages/stage"
)

// entry shows one stage on one host with all its changes or its evidence.
func (o *output) entry(e plan.Entry, s Style) {
	if e.Orphan() {
		o.orphan(e, s)
		return
	}
	head := s.mark(e.Action) + " " + s.paint(bold, Escape(e.Stage)) + "   " + string(e.Action)
	if notes := s.notes(e); notes != "" {
		head += "   " + notes
	}
	o.line("  ", head)
	for _, ev := range e.Evidence {
		o.evidence(ev, s)
	}
	for _, c := range e.Changes {
		o.change(c, s)
	}
}

// orphan names a stage that was applied once and is in no plan file now.
func (o *output) orphan(e plan.Entry, s Style) {
	o.line("    ", s.paint(bold, Escape(e.Stage)), "   in no plan file now, and left as it is   ",
		s.paint(dim, "("+Escape(e.Changes[0].By)+")"))
}

// notes are the brackets behind an entry: how certain it is and what it hits.
func (s Style) notes(e plan.Entry) string {
	var parts []string
	weight := dim
	if e.Certainty != plan.Certain {
		text := string(e.Certainty)
		if len(e.Because) > 0 {
			text += ", because of " + Escape(strings.Join(e.Because, ", "))
		}
		parts = append(parts, "["+text+"]")
	}
	if len(e.BlockedBy) > 0 {
		parts = append(parts, "[skipped while blocked: "+Escape(strings.Join(e.BlockedBy, ", "))+"]")
	}
	if e.Impact != stage.NoImpact.String() {
		parts = append(parts, "["+Escape(e.ImpactText())+"]")
	}
	if e.Impact == stage.Reboot.String() {
		weight = red
	}
	return s.paint(weight, strings.Join(parts, " "))
}

// evidence says which probe could not look and what was seen. What is impossible is only
// named: Diagnostics tell why, with the place in the plan file.
func (o *output) evidence(ev plan.Evidence, s Style) {
	if ev.Outcome == plan.FindingOutcome && ev.Summary != "" {
		o.line(s.wrap("impossible: "+Escape(ev.Summary)+" (see the error)", changeIndent))
		return
	}
	text := strings.TrimSpace(Escape(ev.Probe)+" "+Escape(ev.Outcome)) + ": " + Escape(strings.TrimSpace(ev.Detail))
	o.line(s.wrap(text, changeIndent))
}
