package view

import (
	"strings"

	"github.com/pdprov/pdprov/engine/plan"
	"github.com/pdprov/pdprov/stages/stage"
)

// entry shows one stage on one host with all its changes or its evidence.
func (o *output) entry(e plan.Entry, s Style) {
	head := s.mark(e.Action) + " " + s.paint(bold, Escape(e.Stage)) + "   " + title(e)
	if notes := notes(e); notes != "" {
		head += "   " + s.paint(dim, notes)
	}
	o.line("  ", head)
	for _, ev := range e.Evidence {
		o.evidence(ev, s)
	}
	for _, c := range e.Changes {
		o.change(c, s)
	}
}

func title(e plan.Entry) string {
	switch {
	case e.Orphan():
		return "in no plan file now; nothing is done to it"
	case e.Action == plan.Blocked:
		return "blocked"
	default:
		return string(e.Action)
	}
}

// notes are the brackets behind an entry: how certain it is and what it hits.
func notes(e plan.Entry) string {
	var parts []string
	if e.Certainty != plan.Certain {
		text := string(e.Certainty)
		if len(e.Because) > 0 {
			text += ", because of " + Escape(strings.Join(e.Because, ", "))
		}
		parts = append(parts, "["+text+"]")
	}
	if e.Impact != stage.NoImpact.String() {
		parts = append(parts, "["+Escape(e.ImpactText())+"]")
	}
	return strings.Join(parts, " ")
}

// evidence says which probe could not look and what was seen.
func (o *output) evidence(ev plan.Evidence, s Style) {
	text := strings.TrimSpace(Escape(ev.Probe)+" "+Escape(ev.Outcome)) + ": " + Escape(strings.TrimSpace(ev.Detail))
	o.line(s.wrap(text, changeIndent))
}
