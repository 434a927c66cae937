package driver

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pdprov/pdprov/internal/gpu"
	"github.com/pdprov/pdprov/internal/record"
	"github.com/pdprov/pdprov/stages/stage"
)

// holdsPath lists, a name a line, the packages that pdprov itself held or locked, so that
// these and no others are released when something else is to keep the driver.
const holdsPath = "/var/lib/pdprov/driver-holds"

const holdsID = "driver.holds"

// holdsScript must not take a folder that it may not enter for an empty one.
const holdsScript = record.Say + record.Show + `
f=` + holdsPath + `
dir=${f%/*}
[ ! -e "$dir" ] || [ -x "$dir" ] || { echo "$dir may not be entered" >&2; exit 1; }
[ -e "$f" ] || exit 66
text=$(show "$f") || exit 1
say names "$text"
say end ''
`

func holdsProbe() stage.Probe {
	return stage.Probe{ID: holdsID, Script: holdsScript, Quick: true, Reads: []stage.Resource{gpu.DriverResource}}
}

// ownHolds are the packages of the driver that are held because pdprov held them; None
// where there is none.
func (h host) ownHolds(f stage.Facts) stage.Value {
	a := f.Get(holdsID)
	switch {
	case a.Outcome == stage.Absent:
		return stage.Nothing()
	case a.Outcome != stage.Answered:
		return a.Unknown(holdsID)
	case h.set.unknown != nil:
		return *h.set.unknown
	}
	names, err := readHolds(a.Body)
	if err != nil {
		return stage.Value{Reason: "what pdprov held could not be read: " + err.Error(), Probe: holdsID}
	}
	var ours []string
	for _, p := range h.set.packages {
		if p.Held.State == stage.Unknown {
			return p.Held
		}
		if p.Held.Text == "yes" && slices.Contains(names, p.Name) {
			ours = append(ours, p.Name)
		}
	}
	if len(ours) == 0 {
		return stage.Nothing()
	}
	return stage.Is("by pdprov: " + strings.Join(ours, ", "))
}

func readHolds(body []byte) ([]string, error) {
	items, err := record.Items(body)
	if err != nil {
		return nil, err
	}
	if len(items) != 1 || items[0].Name != "names" {
		return nil, fmt.Errorf("not the list of names")
	}
	return strings.Fields(items[0].Data), nil
}

// ownUnattended is pdprov's file about unattended upgrades; None where there is none, or
// one by that name that somebody else wrote.
func (w wish) ownUnattended(f stage.Facts) stage.Value {
	v := kept(w.unattendedFile(), unattendedText, f)
	if v.State == stage.Present && v.Text != unattendedText {
		return stage.Nothing()
	}
	return v
}

// release is the step that takes pdprov's own holds away.
func (j job) release() []stage.Step {
	if !j.changed(heldPath) {
		return nil
	}
	return []stage.Step{j.step("release the packages that pdprov held", "release_holds")}
}
