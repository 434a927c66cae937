package cuda

import (
	"strings"

	"github.com/pdprov/pdprov/internal/apt"
	"github.com/pdprov/pdprov/internal/posixsh"
	"github.com/pdprov/pdprov/stages/stage"
)

// withApt is the manager of Debian, Ubuntu and what derives from them.
type withApt struct{}

// distribution is the toolkit of Debian and Ubuntu, in whatever version they have.
const distribution = "nvidia-cuda-toolkit"

func (withApt) look(name string, f stage.Facts) part { return part(apt.Look(name, f)) }
func (withApt) ready() stage.Step                    { return apt.Ready() }
func (withApt) lock() string                         { return "apt" }
func (withApt) writes() []stage.Resource             { return nil }

func (withApt) strangers() []stranger {
	return []stranger{
		{
			distribution, "The distribution's CUDA toolkit is installed too",
			distribution + " %s puts an nvcc of its own on PATH. Builds that do not set CUDA_HOME may take it; remove it if nothing needs it.",
		},
		floating("apt-get remove"),
	}
}

func (withApt) install(names, held []string) stage.Step {
	return apt.Step("install "+strings.Join(names, " "),
		"refresh_old_lists", "know "+posixsh.Words(names...), "transact '' "+list(held)+" "+posixsh.Words(names...))
}

func (withApt) reinstall(names, held []string) stage.Step {
	return apt.Step("reinstall "+strings.Join(names, " "),
		"refresh_old_lists", "reinstall '' "+list(held)+" "+posixsh.Words(names...))
}

func (withApt) hold(names []string) stage.Step {
	return apt.Step("hold "+strings.Join(names, " "), "wait_for_locks", "apt-mark hold "+posixsh.Words(names...))
}

func (withApt) choose(version string) stage.Step { return setDefault("update-alternatives", version) }

// list is names as one word.
func list(names []string) string { return posixsh.Quote(strings.Join(names, " ")) }
