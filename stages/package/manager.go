package packages

import (
	"fmt"

	aptget "github.com/pdprov/pdprov/internal/apt"
	"github.com/pdprov/pdprov/internal/osrelease"
	"github.com/pdprov/pdprov/stages/stage"
)

// manager is a package manager. Another one (dnf) is one more file and one line in managers.
type manager interface {
	// name is also the lock that its work takes.
	name() string
	// fits says whether hosts with this system use it.
	fits(sys osrelease.System) bool
	// probes asks about the packages of a wish; Absent means that the host lacks the manager.
	probes(w wish) []stage.Probe
	// seen is what the answers say about one package.
	seen(name string, f stage.Facts) aptget.Package
	// steps carries a job out.
	steps(j job) []stage.Step
}

func managers() []manager { return []manager{apt{}} }

// managerOf chooses the package manager of a host. Without one, the value says why
// nothing can be known and the findings tell it to the user.
func managerOf(f stage.Facts) (manager, stage.Value, []stage.Finding) {
	sys, unknown, ok := osrelease.Read(f)
	if !ok {
		return nil, unknown, nil
	}
	for _, m := range managers() {
		if m.fits(sys) {
			return m, stage.Value{}, nil
		}
	}
	reason := fmt.Sprintf("pdprov does not know the package manager of %s", sys.Pretty)
	return nil, stage.Value{Reason: reason, Probe: osrelease.ID}, []stage.Finding{{
		Summary: "Unknown package manager",
		Detail:  reason + ". It knows apt (Debian, Ubuntu and what derives from them).",
	}}
}
