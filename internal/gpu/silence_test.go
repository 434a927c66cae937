package gpu

import (
	"strings"
	"testing"

	"github.com/pdprov/pdprov/stages/stage"
)

// TestSilence: only a silent nvidia-smi has a next step, whoever ended it.
func TestSilence(t *testing.T) {
	for name, test := range map[string]struct {
		id     string
		a      stage.Answer
		advice bool
	}{
		"ended by its script": {smiID, stage.Answer{Outcome: stage.Failed, Exit: 1, Detail: "exit status 1: " + silent + " within 20 s, or was killed"}, true},
		"not even that":       {processesID, stage.Answer{Outcome: stage.Hung, Detail: "no answer within 30 s"}, true},
		"its own words":       {smiID, stage.Answer{Outcome: stage.Failed, Exit: 9, Detail: "exit status 9: NVIDIA-SMI has failed"}, false},
		"another question":    {numaID, stage.Answer{Outcome: stage.Hung, Detail: "no answer within 10 s"}, false},
	} {
		v := Unknown(test.id, test.a)
		if v.State != stage.Unknown || v.Probe != test.id || !strings.HasPrefix(v.Reason, test.a.Detail) || strings.Contains(v.Reason, "dmesg") != test.advice {
			t.Errorf("%s: %+v", name, v)
		}
	}
}
