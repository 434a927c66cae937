package view

import (
	"strconv"
	"strings"

	"github.com/pdprov/pdprov/engine/plan"
)

// clean says whether everything was looked at and is as the plan wants it.
func clean(p *plan.Plan) bool {
	return p.Summary.Change == 0 && p.Summary.Blocked == 0 && p.Summary.Unreachable == 0
}

func inSync(p *plan.Plan) string {
	verb := " are in sync."
	if p.Summary.InSync == 1 {
		verb = " is in sync."
	}
	return count(p.Summary.InSync, "stage") + " on " + count(len(p.Hosts), "host") + verb
}

// counts is "3 to change, 1 blocked, 5 in sync; 1 host unreachable."
func counts(p *plan.Plan, changed string) string {
	n := p.Summary
	parts := []string{strconv.Itoa(n.Change) + " " + changed}
	if n.Blocked > 0 {
		parts = append(parts, strconv.Itoa(n.Blocked)+" blocked")
	}
	parts = append(parts, strconv.Itoa(n.InSync)+" in sync")
	return strings.Join(parts, ", ") + lost(p.Hosts) + "."
}

// lost counts the hosts that could not be looked at.
func lost(hosts []plan.Host) string {
	unreachable, unknown := 0, 0
	for _, h := range hosts {
		switch h.State {
		case plan.HostUnreachable:
			unreachable++
		case plan.HostUnknown:
			unknown++
		}
	}
	text := ""
	if unreachable > 0 {
		text += "; " + count(unreachable, "host") + " unreachable"
	}
	if unknown > 0 {
		text += "; " + count(unknown, "host") + " unknown"
	}
	return text
}
