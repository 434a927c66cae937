package driver

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pdprov/pdprov/internal/gpu"
	"github.com/pdprov/pdprov/internal/record"
	"github.com/pdprov/pdprov/stages/stage"
)

// recordDir has what pdprov did to keep the driver, so that this and nothing else is undone
// when something else is to keep it. Each file lists packages, a name a line.
const (
	recordDir   = "/var/lib/pdprov"
	holdsFile   = "driver-holds"   // held or locked
	pinningFile = "driver-pinning" // nvidia-driver-pinning-*, installed
)

const holdsID = "driver.holds"

// holdsScript must not take a folder that it may not enter for an empty one.
const holdsScript = record.Say + record.Show + `
dir=` + recordDir + `
[ ! -e "$dir" ] || [ -x "$dir" ] || { echo "$dir may not be entered" >&2; exit 1; }
[ -e "$dir/` + holdsFile + `" ] || [ -e "$dir/` + pinningFile + `" ] || exit 66
for name in ` + holdsFile + ` ` + pinningFile + `; do
  [ -e "$dir/$name" ] || continue
  text=$(show "$dir/$name") || exit 1
  say "$name" "$text"
done
say end ''
`

func holdsProbe() stage.Probe {
	return stage.Probe{ID: holdsID, Script: holdsScript, Quick: true, Reads: []stage.Resource{gpu.DriverResource}}
}

// recorded is what pdprov did itself; where that is not known, unknown says why.
type recorded struct {
	holds, pinnings []string
	unknown         *stage.Value
}

func readRecorded(f stage.Facts) (r recorded) {
	a := f.Get(holdsID)
	if a.Outcome == stage.Absent {
		return r
	}
	v := a.Unknown(holdsID)
	if a.Outcome != stage.Answered {
		return recorded{unknown: &v}
	}
	items, err := record.Items(a.Body)
	for _, i := range items {
		switch i.Name {
		case holdsFile:
			r.holds = strings.Fields(i.Data)
		case pinningFile:
			r.pinnings = strings.Fields(i.Data)
		default:
			err = fmt.Errorf("%.40q is no part of it", i.Name)
		}
	}
	if err != nil {
		v.Reason = "what pdprov did to keep the driver could not be read: " + err.Error()
		return recorded{unknown: &v}
	}
	return r
}

// ownHolds are the packages of the driver that are held because pdprov held them; None
// where there is none.
func (h host) ownHolds(f stage.Facts) stage.Value {
	ours := readRecorded(f)
	switch {
	case ours.unknown != nil:
		return *ours.unknown
	case h.set.unknown != nil:
		return *h.set.unknown
	}
	var names []string
	for _, p := range h.set.packages {
		if p.Held.State == stage.Unknown {
			return p.Held
		}
		if p.Held.Text == "yes" && slices.Contains(ours.holds, p.Name) {
			names = append(names, p.Name)
		}
	}
	return byPdprov(names)
}

func byPdprov(names []string) stage.Value {
	if len(names) == 0 {
		return stage.Nothing()
	}
	return stage.Is("by pdprov: " + strings.Join(names, ", "))
}

// ownPinnings are the packages nvidia-driver-pinning-*, but for the wanted one, that pdprov
// installed. The record decides only where there are such packages.
func (h host) ownPinnings(wanted string, f stage.Facts) stage.Value {
	if h.set.unknown != nil {
		return *h.set.unknown
	}
	others := slices.DeleteFunc(slices.Clone(h.set.pinnings), func(name string) bool { return name == wanted })
	if len(others) == 0 {
		return stage.Nothing()
	}
	ours := readRecorded(f)
	if ours.unknown != nil {
		return *ours.unknown
	}
	return byPdprov(slices.DeleteFunc(others, func(name string) bool { return !slices.Contains(ours.pinnings, name) }))
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
