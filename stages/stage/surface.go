package stage

import (
	"encoding/json"
	"sort"
)

// Surface is everything that a stage manages on a host, as a flat map from path
// ("mode", "jq.version", "dist.numpy") to value.
type Surface map[string]Value

// State of a value. The zero value is Unknown.
type State int

// States of a value. Deferred and Anything occur in a wanted surface only.
const (
	Unknown  State = iota // could not look
	None                  // certainly not there, or: must not be there
	Present               // Text is the value
	Deferred              // wanted, but known only after the stage named in Reason
	Anything              // wanted: there, whatever its value
)

// Value is one value of a surface.
type Value struct {
	State  State
	Text   string
	Secret bool   // Text must never be shown or kept
	Reason string // Unknown: the evidence; Deferred: the address of the stage
	Probe  string // Unknown: the probe that could not look
	By     string // who or what made the value, where the host tells: "apt-get install jq (alice) on 2026-11-30 06:12"
	// Of tells two wishes apart that ask for the same Text of different things: a digest
	// of the question. The host's memory keeps it, so that an edited question is known.
	Of string
	// FromHost says of a wish that it is made of what the host shows and not of what the
	// plan says: as many GPUs answer as are on the bus.
	FromHost bool
	// Follows says that a seen value differs only because of another change of
	// this plan ("the process will be older than the file that is about to change").
	Follows bool
}

// Is makes a present value.
func Is(text string) Value { return Value{State: Present, Text: text} }

// Nothing is the value of what is not there.
func Nothing() Value { return Value{State: None} }

// SomeValue is the wish that there is a value, whatever it is.
func SomeValue() Value { return Value{State: Anything} }

// IsSecret makes a present value that is never shown.
func IsSecret(text string) Value { return Value{State: Present, Text: text, Secret: true} }

// Matches says whether a wanted value is fulfilled by one that was seen. It is
// only meaningful where seen is not Unknown and the wish not Deferred.
func (v Value) Matches(seen Value) bool {
	switch v.State {
	case Anything:
		return seen.State == Present
	case Present:
		return seen.State == Present && seen.Text == v.Text
	default:
		return v.State == seen.State
	}
}

// String is the value as people read it; a secret stays hidden.
func (v Value) String() string {
	switch v.State {
	case Present:
		if v.Secret {
			return "(sensitive)"
		}
		return v.Text
	case None:
		return "(absent)"
	case Deferred:
		return "(known after " + v.Reason + ")"
	case Anything:
		return "*"
	default:
		return "(unknown)"
	}
}

// MarshalJSON follows the contract for programs: a string, or null for absent.
func (v Value) MarshalJSON() ([]byte, error) {
	if v.State == None {
		return []byte("null"), nil
	}
	return json.Marshal(v.String())
}

// Paths lists the paths of a surface in order.
func (s Surface) Paths() []string {
	paths := make([]string, 0, len(s))
	for p := range s {
		paths = append(paths, p)
	}
	sort.Strings(paths)
	return paths
}

// Change is one path whose seen value is not the wanted one.
type Change struct {
	Path  string `json:"path"`
	Old   Value  `json:"old"`
	New   Value  `json:"new"`
	Cause Cause  `json:"cause"`
	By    string `json:"by,omitempty"`
}

// Cause says where a change comes from. It is for display; nothing may branch on it.
type Cause string

// Causes, by comparing the wish and the sight with what was last applied.
const (
	CauseNew     Cause = "new"
	CauseEdited  Cause = "plan_edited"
	CauseHost    Cause = "changed_on_host"
	CauseBoth    Cause = "both"
	CauseOrphan  Cause = "orphan"
	CauseUnknown Cause = "unknown"
)

// Changed says whether a path, or one below it ("dist" and "dist.numpy"), is among changes.
func Changed(changes []Change, path string) bool {
	for _, c := range changes {
		if c.Path == path || len(c.Path) > len(path) && c.Path[:len(path)+1] == path+"." {
			return true
		}
	}
	return false
}
