// Package stages is the list of kinds. A new kind is a folder beside this file and a
// line in this list.
package stages

import (
	"github.com/pdprov/pdprov/stages/command"
	"github.com/pdprov/pdprov/stages/cuda"
	"github.com/pdprov/pdprov/stages/driver"
	"github.com/pdprov/pdprov/stages/file"
	"github.com/pdprov/pdprov/stages/nixl"
	packages "github.com/pdprov/pdprov/stages/package"
	"github.com/pdprov/pdprov/stages/stage"
	"github.com/pdprov/pdprov/stages/sysctl"
	"github.com/pdprov/pdprov/stages/unit"
	"github.com/pdprov/pdprov/stages/venv"
)

// All lists every kind of this build.
func All() stage.Kinds {
	return stage.Kinds{
		packages.Kind{},
		driver.Kind{},
		cuda.Kind{},
		file.Kind{},
		unit.Kind{},
		command.Kind{},
		sysctl.Kind{},
		venv.Kind{},
		nixl.Kind{},
	}
}
