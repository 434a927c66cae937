package cuda

import (
	"github.com/pdprov/pdprov/internal/dnf"
	"github.com/pdprov/pdprov/internal/osrelease"
	"github.com/pdprov/pdprov/internal/posixsh"
	"github.com/pdprov/pdprov/stages/stage"
)

// manager is what a host's package manager does otherwise than another. The packages of
// the toolkits have the same names everywhere.
type manager interface {
	// look is what the host shows of one package.
	look(name string, f stage.Facts) part
	// strangers are packages that do not belong beside a toolkit of an exact version.
	strangers() []stranger
	ready() stage.Step
	// install and reinstall may change the packages that are held, and no other held one.
	install(names, held []string) stage.Step
	reinstall(names, held []string) stage.Step
	// hold keeps packages at the version that they have now.
	hold(names []string) stage.Step
	// choose leads /usr/local/cuda to a version, by hand.
	choose(version string) stage.Step
	lock() string // what work with it locks
	// writes are what it changes beside packages.
	writes() []stage.Resource
}

// part is one package on a host.
type part struct{ Version, State, Held stage.Value }

// stranger is a package that is warned of; detail has the version for its %s.
type stranger struct{ name, summary, detail string }

// unsure stands for the package manager of a host whose system is not known.
type unsure struct {
	manager
	why stage.Value
}

func (u unsure) look(string, stage.Facts) part { return part{u.why, u.why, u.why} }

// managerOf is the package manager of a host; false where the system is known and has none
// that is known here.
func managerOf(f stage.Facts) (manager, bool) {
	sys, unknown, known := osrelease.Read(f)
	switch {
	case !known:
		return unsure{withApt{}, unknown}, true
	case sys.Is("debian", "ubuntu"):
		return withApt{}, true
	case dnf.On(sys):
		return withDNF{}, true
	}
	return withApt{}, false
}

// setDefault is the step that chooses among alternatives; program is dpkg's or RHEL's.
func setDefault(program, version string) stage.Step {
	return stage.Step{
		Title:  "choose " + version + " for /usr/local/cuda",
		Script: posixsh.Words(program, "--set", "cuda", "/usr/local/cuda-"+version) + "\n",
	}
}
