package cli

import "github.com/pdprov/pdprov/engine/plan"

// Exit statuses. Where several hold, the one that is worst wins: an error beats an
// unknown, an unknown beats a failed proof, a failed proof beats changes.
const (
	exitDone    = 0 // in sync, or done
	exitError   = 1
	exitChanges = 2 // plan --detailed-exitcode: changes are pending; audit: drift
	exitProof   = 3 // a proof failed
	exitUnknown = 4 // a host is unreachable or an answer is missing
)

// worst is the exit status that wins.
func worst(statuses ...int) int {
	order := []int{exitDone, exitChanges, exitProof, exitUnknown, exitError}
	rank := 0
	for _, s := range statuses {
		for i := range order {
			if order[i] == s {
				rank = max(rank, i)
			}
		}
	}
	return order[rank]
}

// looked is the exit status of a look: unknown where a host or a stage could not be
// looked at.
func looked(p *plan.Plan) int {
	if p.Summary.Unreachable > 0 || p.Summary.Blocked > 0 {
		return exitUnknown
	}
	return exitDone
}

// differs is the exit status for what is not as the plan wants it.
func differs(p *plan.Plan) int {
	if p.Summary.Change > 0 {
		return exitChanges
	}
	return exitDone
}
