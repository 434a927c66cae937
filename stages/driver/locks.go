package driver

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/pdprov/pdprov/internal/dnf"
	"github.com/pdprov/pdprov/stages/stage"
)

// othersLocks are the version locks on packages of the driver that pdprov did not set: those
// that let the wished version in are kept as they are, the others are in its way.
func (w wish) othersLocks(h host, f stage.Facts) (kept, inTheWay []dnf.Lock) {
	ours := readRecorded(f)
	for _, l := range dnf.Locks(f) {
		switch {
		case !fits(dnfNames, l.Name), fits(notOfDriver, l.Name), slices.Contains(ours.holds, l.Name):
		case w.letIn(l, w.target(h)):
			kept = append(kept, l)
		case !slices.Contains(companions, l.Name): // those may have another version
			inTheWay = append(inTheWay, l)
		}
	}
	return kept, inTheWay
}

// letIn says whether a lock allows the target, or where that is "580.*" a version of it.
func (w wish) letIn(l dnf.Lock, target string) bool {
	ok, _ := path.Match(l.Version, target)
	return ok || target == w.pattern() && w.fits(l.Version)
}

// unsureLocks is Unknown where locks are in the way and it is not known whose they are.
func (w wish) unsureLocks(h host, f stage.Facts) *stage.Value {
	if _, inTheWay := w.othersLocks(h, f); len(inTheWay) > 0 {
		return readRecorded(f).unknown
	}
	return nil
}

// aboutLocks refuses to pass over a version lock: unlike a hold it says which version
// somebody wants.
func (w wish) aboutLocks(h host, f stage.Facts) []stage.Finding {
	_, inTheWay := w.othersLocks(h, f)
	if len(inTheWay) == 0 || readRecorded(f).unknown != nil {
		return nil
	}
	var texts, names []string
	for _, l := range inTheWay {
		texts, names = append(texts, l.Text), appendNew(names, l.Name)
	}
	return []stage.Finding{{
		Path: "pin", Summary: "Version locks that pdprov did not set",
		Detail: fmt.Sprintf("dnf has locks on other versions of the driver than %s, and pdprov has no record of having set them: %s. Somebody did, or a pdprov from before there was a record. They are not replaced. If the plan is right, remove them: dnf versionlock delete %s", w.target(h), strings.Join(texts, ", "), strings.Join(names, " ")),
	}}
}

// aboutOthersHolds tells of holds that stay although the plan asks for none.
func (w wish) aboutOthersHolds(h host, f stage.Facts, release string) []stage.Finding {
	ours := readRecorded(f)
	var names []string
	for _, p := range h.set.packages {
		if p.Held.Text == "yes" && !slices.Contains(ours.holds, p.Name) {
			names = appendNew(names, p.Name)
		}
	}
	if len(names) == 0 || ours.unknown != nil {
		return nil
	}
	return []stage.Finding{{
		Severity: stage.Warning, Path: "pin", Summary: "Holds that pdprov did not set",
		Detail: fmt.Sprintf("With pin = %q pdprov releases what it held itself. It has no record of having held %s: somebody did, or a pdprov from before there was a record. They stay held. To release them: %s %s", w.pin, strings.Join(names, ", "), release, strings.Join(names, " ")),
	}}
}
