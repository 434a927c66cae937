package osrelease

import (
	"regexp"
	"strings"

	"github.com/pdprov/pdprov/stages/stage"
)

const kernelID = "os-kernel"

// KernelProbe asks which kernel runs.
func KernelProbe() stage.Probe {
	return stage.Probe{ID: kernelID, Script: "uname -r\n", Quick: true, Reads: []stage.Resource{"os:kernel"}}
}

var kernelForm = regexp.MustCompile(`^[0-9][0-9A-Za-z._+~-]{0,100}$`)

// Kernel is the release of the running kernel, as uname -r prints it.
func Kernel(f stage.Facts) stage.Value {
	a := f.Get(kernelID)
	if a.Outcome != stage.Answered {
		return a.Unknown(kernelID)
	}
	if text := strings.TrimSpace(string(a.Body)); kernelForm.MatchString(text) {
		return stage.Is(text)
	}
	return stage.Value{Reason: "uname -r did not print the release of a kernel", Probe: kernelID}
}
