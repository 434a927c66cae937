package packages

import (
	aptget "github.com/pdprov/pdprov/internal/apt"
	"github.com/pdprov/pdprov/internal/osrelease"
	"github.com/pdprov/pdprov/stages/stage"
)

// apt is the package manager of Debian and Ubuntu.
type apt struct{}

func (apt) name() string                   { return "apt" }
func (apt) fits(sys osrelease.System) bool { return sys.Is("debian", "ubuntu") }

func (apt) probes(w wish) []stage.Probe { return aptget.Probes(w.all()...) }

func (apt) seen(name string, f stage.Facts) aptget.Package { return aptget.Look(name, f) }
