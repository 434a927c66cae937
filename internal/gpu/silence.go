package gpu

import (
	"slices"
	"strings"

	"github.com/pdprov/pdprov/stages/stage"
)

// silent begins what smiScript says of an nvidia-smi that it had to end.
const silent = "nvidia-smi did not answer"

const afterSilence = `. The driver or a GPU hangs: look for "Xid" and "NVRM" in dmesg, take the work off this host and reboot it; power-cycle it where that does not help`

// Unknown is the answer's own Unknown, and what to do where nvidia-smi is silent.
func Unknown(id string, a stage.Answer) stage.Value {
	v := a.Unknown(id)
	asked := slices.Contains([]string{smiID, moreID, processesID, topologyID}, id)
	if asked && (a.Outcome == stage.Hung || strings.Contains(v.Reason, silent)) {
		v.Reason += afterSilence
	}
	return v
}
