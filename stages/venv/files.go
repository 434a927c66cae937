package venv

import (
	"fmt"
	"strings"

	"github.com/pdprov/pdprov/internal/pyenv"
	"github.com/pdprov/pdprov/stages/stage"
)

// named is how many files a value names.
const named = 5

// filesOf says which files are not as installed. Those of a distribution that another
// stage added are for that stage to judge.
func filesOf(e pyenv.Env, files pyenv.Files) stage.Value {
	var off []string
	for _, o := range files.Off {
		name, _, _ := strings.Cut(o.Dist, " ")
		if e.AddedBy(name) == "" {
			off = append(off, o.String())
		}
	}
	more := files.More + max(0, len(off)-named)
	text := strings.Join(off[:min(named, len(off))], ", ")
	switch {
	case len(off) == 0 && more == 0:
		return stage.Is(installed)
	case len(off) == 0:
		return stage.Is(fmt.Sprintf("%d files are not as installed", more))
	case more > 0:
		text += fmt.Sprintf(", and %d more", more)
	}
	return stage.Is(text)
}
