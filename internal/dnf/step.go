package dnf

import (
	_ "embed"
	"strings"

	"github.com/pdprov/pdprov/internal/waiting"
	"github.com/pdprov/pdprov/stages/stage"
)

// functions is the sh text that every step with dnf loads.
//
//go:embed dnf.sh
var functions string

// Step is a step whose lines may call the functions of dnf.sh.
func Step(title string, lines ...string) stage.Step {
	return stage.Step{
		Title:  title,
		Script: "# shellcheck source=/dev/null\n. \"$PDPROV_FILES/dnf.sh\"\n" + strings.Join(lines, "\n") + "\n",
		Files:  []stage.File{{Name: "dnf.sh", Data: []byte(waiting.Functions + functions)}},
	}
}

// Ready is the step with which work with dnf begins: it waits for others, and repairs
// what a transaction left that was cut off.
func Ready() stage.Step { return Step("make dnf ready", "wait_for_locks", "repair_rpm") }
