// Package plan decides: from a deployment and the answers of its hosts to what
// would have to change, how certain that is, and what it would do to those who
// use the hosts. It is pure.
package plan

import (
	"slices"

	"github.com/pdprov/pdprov/stages/stage"
)

// FormatVersion of the JSON form; it grows when a program that reads it would break.
const FormatVersion = 1

// Plan is what would change on which host. Its JSON form is the contract for
// programs (docs/schema/plan.schema.json).
type Plan struct {
	FormatVersion int     `json:"format_version"`
	Hosts         []Host  `json:"hosts"`   // in order of declaration
	Entries       []Entry `json:"entries"` // by host, then in the order they would run
	Summary       Summary `json:"summary"`
}

// HostState says whether a host could be looked at.
type HostState string

// States of a host.
const (
	HostOK          HostState = "ok"
	HostUnreachable HostState = "unreachable"
	HostUnknown     HostState = "unknown" // reached, but the look did not come back
)

// Host is what is known of a host as a whole.
type Host struct {
	Name  string    `json:"name"`
	State HostState `json:"state"`
	Error string    `json:"error,omitempty"`
	// Running are jobs of pdprov that run there now.
	Running []Running `json:"running,omitempty"`
	// Holder tells who holds the host's lock, "" when it is free.
	Holder string `json:"lock_holder,omitempty"`
	// Warnings say what of the host as a whole could not be read.
	Warnings []string `json:"warnings,omitempty"`
}

// Running is a job that was found running.
type Running struct {
	Stage string `json:"stage"`
	Since string `json:"since"`
	Owner string `json:"owner"`
}

// Action is what has to be done for a stage on a host.
type Action string

// Actions.
const (
	None    Action = "none"
	Create  Action = "create"
	Update  Action = "update"
	Delete  Action = "delete"
	Blocked Action = "blocked" // something could not be looked at; nothing is done
)

// Certainty of an entry.
type Certainty string

// Certainties.
const (
	Certain   Certainty = "certain"
	Predicted Certainty = "predicted" // an earlier entry makes an answer stale; asked again before its turn
	Deferred  Certainty = "deferred"  // a wanted value is known only after an earlier entry
)

// Entry is one stage on one host.
type Entry struct {
	Host      string         `json:"host"`
	Stage     string         `json:"stage"`
	Action    Action         `json:"action"`
	Certainty Certainty      `json:"certainty"`
	Impact    string         `json:"impact"` // stage.Impact as text
	ImpactOn  string         `json:"impact_on,omitempty"`
	Changes   []stage.Change `json:"changes"`
	Evidence  []Evidence     `json:"evidence"`
	// Because names the earlier entries that make this one Predicted or Deferred.
	Because []string `json:"because,omitempty"`
	// BlockedBy names the Blocked entries on the same host that this one, itself a change,
	// needs: while they stay blocked, an apply skips it.
	BlockedBy []string `json:"blocked_by,omitempty"`
	// Warnings are findings that do not stop the plan.
	Warnings []string `json:"warnings,omitempty"`
	// Installed is the surface that the host shows, for audit.
	Installed stage.Surface `json:"installed,omitempty"`

	// Work, Want and Asked, all that the plan says of the stage, are for engine/apply; they
	// are not part of the JSON form.
	Work  stage.Work    `json:"-"`
	Want  stage.Surface `json:"-"`
	Asked string        `json:"-"`
	// Needs are the entries on the same host, and Elsewhere those on other hosts
	// ("host/stage"), that must have ended well before this one starts.
	Needs     []string `json:"-"`
	Elsewhere []string `json:"-"`
	// Partner is the host that does Work.Partner.
	Partner string `json:"-"`
	// After are entries on the same host that must have ended, however, because they
	// touch the same things.
	After []string `json:"-"`
}

// Evidence is what a probe said where that decides something.
type Evidence struct {
	Probe   string `json:"probe"`
	Outcome string `json:"outcome"`
	Detail  string `json:"detail"`
	// Summary is a finding's own, for where the whole of it is told beside the plan.
	Summary string `json:"-"`
}

// FindingOutcome is the outcome of evidence that is no answer of a probe: what the kind
// finds wrong with the stage in the light of the facts.
const FindingOutcome = "finding"

// Refused says whether the kind found the stage impossible on this host.
func (e Entry) Refused() bool {
	return slices.ContainsFunc(e.Evidence, func(piece Evidence) bool { return piece.Outcome == FindingOutcome })
}

// Summary counts entries; Unreachable counts hosts that are not ok.
type Summary struct {
	InSync      int `json:"in_sync"`
	Change      int `json:"change"`
	Blocked     int `json:"blocked"`
	Unreachable int `json:"unreachable"`
	// Reboots counts the entries of Change that reboot their host.
	Reboots int `json:"reboots,omitempty"`
}

// ImpactText renders an impact for people: "restart of web.service".
func (e Entry) ImpactText() string {
	if e.ImpactOn == "" || e.Impact == stage.NoImpact.String() {
		return e.Impact
	}
	return e.Impact + " of " + e.ImpactOn
}
