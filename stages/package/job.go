package packages

import (
	"slices"
	"strings"

	aptget "github.com/pdprov/pdprov/internal/apt"
	"github.com/pdprov/pdprov/stages/stage"
)

// job is what a package manager has to do, by package name.
type job struct {
	install   []target
	remove    []string
	reinstall []string // half-installed: its files cannot be trusted
	hold      []string
	unhold    []string
	// held lists packages of this job that are held now: the plan names them, so
	// the hold does not protect them from it.
	held []string
	// touched lists every package that may change, unsettled those of them that
	// are installed now.
	touched, unsettled []string
}

// target is one package to install.
type target struct{ name, version string } // version "" is any

// jobOf sorts changes into what has to be done.
func jobOf(w wish, m manager, f stage.Facts, changes []stage.Change) job {
	var j job
	changed := map[string]bool{}
	for _, c := range changes {
		changed[c.Path] = true
	}
	for _, name := range w.all() {
		seen := m.seen(name, f)
		j.content(name, w, seen, changed)
		j.holds(name, w, seen, changed)
	}
	return j
}

// content decides about one package's files.
func (j *job) content(name string, w wish, seen aptget.Package, changed map[string]bool) {
	switch {
	case changed[name] && slices.Contains(w.absent, name):
		j.remove = append(j.remove, name)
	case changed[name]:
		j.install = append(j.install, w.target(name))
	case changed[name+statePath] && seen.State.Text == aptget.HalfInstalled:
		j.reinstall = append(j.reinstall, name)
	case !changed[name+statePath]:
		return
	}
	j.touched = append(j.touched, name)
	if seen.Version.State == stage.Present {
		j.unsettled = append(j.unsettled, name)
	}
	if seen.Held.Text == yesNo(true) {
		j.held = append(j.held, name)
	}
}

// holds decides about one package's hold. A new version ends a hold in dpkg's
// books, so a hold that nobody asked to lift is put back.
func (j *job) holds(name string, w wish, seen aptget.Package, changed map[string]bool) {
	if slices.Contains(w.absent, name) {
		return
	}
	moved := slices.Contains(j.touched, name)
	isHeld := seen.Held.Text == yesNo(true)
	switch {
	case w.hold == nil && moved && isHeld, w.hold != nil && *w.hold && (moved || changed[name+heldPath]):
		j.hold = append(j.hold, name)
	case w.hold != nil && !*w.hold && changed[name+heldPath] && isHeld:
		j.unhold = append(j.unhold, name)
	}
}

func (w wish) target(name string) target {
	if v := w.versions[name]; v != anyVersion {
		return target{name: name, version: v}
	}
	return target{name: name}
}

// impact: a package that is replaced or removed may restart or stop what it runs;
// which services those are is not in the package database.
func (j job) impact() stage.Impact {
	if len(j.unsettled) > 0 {
		return stage.Restart
	}
	return stage.NoImpact
}

func (j job) impactOn() string {
	if len(j.unsettled) == 0 {
		return ""
	}
	return "whatever runs from " + strings.Join(j.unsettled, ", ")
}

// writes names what later looks may find changed. A package can put a file
// anywhere, so AnyResource would be the safe choice; but then every stage after a
// package would be uncertain, which tells the user nothing. What other kinds read
// is below /etc (file, sysctl), /usr (interpreters, unit files) or is the unit that
// commonly carries the package's name; a stage that needs more says depends_on.
func (j job) writes() []stage.Resource {
	var w []stage.Resource
	for _, name := range j.touched {
		w = append(w, aptget.Resource(name), stage.Resource("unit:"+aptget.Base(name)+".service"))
	}
	if len(w) > 0 {
		w = append(w, "path:/etc", "path:/usr")
	}
	for _, name := range slices.Concat(j.hold, j.unhold) {
		w = append(w, aptget.Resource(name))
	}
	slices.Sort(w)
	return slices.Compact(w)
}
