// Package packages is the kind "package": which packages of the host's package
// manager are installed, in which version, and which are kept back from upgrades.
package packages

import (
	aptget "github.com/pdprov/pdprov/internal/apt"
	"github.com/pdprov/pdprov/internal/osrelease"
	"github.com/pdprov/pdprov/stages/stage"
)

// Kind is the kind "package".
type Kind struct{}

// Name is the word after `stage` in a plan file.
func (Kind) Name() string { return "package" }

// Summary is one sentence for people.
func (Kind) Summary() string {
	return "Packages of the host's package manager (apt): installed, in an exact version, held, or absent."
}

// Schema lists the attributes of a block.
func (Kind) Schema() []stage.Attr {
	return []stage.Attr{
		{Name: "packages", Type: stage.StringMap, Secrets: true, Doc: "Name (\"jq\" or \"libc6:i386\") to version: \"*\" is any version, everything else is that exact one, also when it is older than the installed one."},
		{Name: "absent", Type: stage.StringList, Secrets: true, Doc: "Packages that must not be installed. They are removed, not purged: left-over configuration files count as absent. Nothing that is not listed here is ever removed."},
		{Name: "hold", Type: stage.Bool, Doc: "true: the packages are held (apt-mark hold), false: none of them is; unset: holds are left as they are."},
	}
}

// Probes asks which system it is, what is installed, and who changed it last. The
// managers are asked side by side since the answers, and so the system, are not
// known yet; a manager that the host lacks says Absent.
func (Kind) Probes(in stage.Instance) []stage.Probe {
	w := wishOf(in.Config)
	probes := []stage.Probe{osrelease.Probe()}
	for _, m := range managers() {
		probes = append(probes, m.probes(w)...)
	}
	return probes
}

// Want is every listed package, installed or absent, and its hold where hold is set.
func (Kind) Want(in stage.Instance, f stage.Facts) (stage.Surface, []stage.Finding) {
	w := wishOf(in.Config)
	s := stage.Surface{}
	for _, name := range w.names() {
		s[name] = stage.Is(w.versions[name])
		if w.versions[name] == anyVersion {
			s[name] = stage.SomeValue()
		}
		s[name+statePath] = stage.Is(aptget.Installed)
		if w.hold != nil {
			s[name+heldPath] = stage.Is(yesNo(*w.hold))
		}
	}
	for _, name := range w.absent {
		s[name] = stage.Nothing()
	}
	_, _, finding := managerOf(f)
	return s, finding
}

// Have is what the package manager's own database says.
func (Kind) Have(in stage.Instance, f stage.Facts) stage.Surface {
	w := wishOf(in.Config)
	s := stage.Surface{}
	m, unknown, _ := managerOf(f)
	for _, name := range w.all() {
		if m == nil {
			s[name], s[name+statePath], s[name+heldPath] = unknown, unknown, unknown
			continue
		}
		p := m.seen(name, f)
		s[name] = p.Version
		if _, wanted := w.versions[name]; wanted || p.Version.State != stage.None {
			s[name+statePath], s[name+heldPath] = p.State, p.Held
		}
	}
	return s
}

// Work is one transaction for what comes and goes, then the holds.
func (Kind) Work(in stage.Instance, f stage.Facts, changes []stage.Change) (stage.Work, []stage.Finding) {
	m, _, findings := managerOf(f)
	if m == nil {
		return stage.Work{}, findings
	}
	j := jobOf(wishOf(in.Config), m, f, changes)
	return stage.Work{
		Steps: m.steps(j), Impact: j.impact(), ImpactOn: j.impactOn(),
		Writes: j.writes(), Locks: []string{m.name()}, TimeoutSeconds: 3600,
	}, nil
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
