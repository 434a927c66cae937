package apt

import (
	_ "embed"
	"strings"

	"github.com/pdprov/pdprov/internal/waiting"
	"github.com/pdprov/pdprov/stages/stage"
)

// functions is the sh text that every step with apt loads.
//
//go:embed apt.sh
var functions string

// Step is a step whose lines may call the functions of apt.sh.
func Step(title string, lines ...string) stage.Step {
	return stage.Step{
		Title:  title,
		Script: "# shellcheck source=/dev/null\n. \"$PDPROV_FILES/apt.sh\"\n" + strings.Join(lines, "\n") + "\n",
		Files:  []stage.File{{Name: "apt.sh", Data: []byte(waiting.Functions + functions)}},
	}
}

// Ready is the step with which work with apt begins: it waits for others, and repairs
// what an interrupted dpkg left.
func Ready() stage.Step { return Step("make apt ready", "wait_for_locks", "repair_dpkg") }
