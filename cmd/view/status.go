package view

import (
	"io"

	"github.com/pdprov/pdprov/engine/plan"
)

// StatusDocument is what status and unlock print with --json.
type StatusDocument struct {
	FormatVersion int      `json:"format_version"`
	Hosts         []Status `json:"hosts"`
}

// Status is what a host says of itself.
type Status struct {
	plan.Host
	Applied []Applied `json:"applied"` // in order of address
	// Unknown holds what could not be looked at, with the reason.
	Unknown []plan.Evidence `json:"unknown,omitempty"`
	// Unlocked is the holder that unlock took the lock away from.
	Unlocked string `json:"unlocked,omitempty"`
}

// Applied is a stage as it was last applied.
type Applied struct {
	Stage string `json:"stage"`
	At    string `json:"at"`
	Owner string `json:"owner"`
	Run   string `json:"run"`
}

// Statuses shows hosts: whether they answer, what runs, who holds the lock, and what
// was last applied.
func Statuses(w io.Writer, hosts []Status, s Style) error {
	o := &output{w: w}
	for _, h := range hosts {
		o.host(h.Host, s)
		for _, ev := range h.Unknown {
			o.evidence(ev, s)
		}
		if h.State == plan.HostOK {
			o.applied(h, s)
		}
	}
	return o.err
}

func (o *output) applied(h Status, s Style) {
	if len(h.Applied) == 0 && len(h.Unknown) == 0 {
		o.line("    nothing was applied yet")
	}
	widest := 0
	for _, a := range h.Applied {
		widest = max(widest, width(Escape(a.Stage)))
	}
	for _, a := range h.Applied {
		o.line("    ", pad(Escape(a.Stage), widest), "   ", s.paint(dim, "applied "+Escape(a.At)+" by "+Escape(a.Owner)+", run "+Escape(a.Run)))
	}
}
