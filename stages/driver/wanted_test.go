package driver

import (
	"testing"

	"github.com/pdprov/pdprov/internal/gpu"
	"github.com/pdprov/pdprov/stages/stage"
)

// TestWishesOfTheHost: what the host decides is never called edited in the plan, and what
// the plan decides may be.
func TestWishesOfTheHost(t *testing.T) {
	h := host{box: gpu.Box{Count: stage.Is("8"), Switches: stage.Is("4")}}
	h.set.packages = []part{{Name: "libcuda1", Version: stage.Is("580.95.05-1")}}
	branch, exact := wish{branch: "580"}, wish{branch: "580", version: "580.95.05"}
	for name, test := range map[string]struct {
		v        stage.Value
		fromHost bool
	}{
		"GPUs that answer":                  {wantedAnswers(h), true},
		"version of a branch":               {branch.wantedVersion(h), true},
		"version of another branch":         {wish{branch: "590"}.wantedVersion(h), false},
		"exact version":                     {exact.wantedVersion(h), false},
		"fabric manager":                    {exact.wantedFabricManager(h, exact.wantedVersion(h)), true},
		"fabric manager without NVSwitches": {exact.wantedFabricManager(host{box: gpu.Box{Switches: stage.Is("0")}}, stage.Is("1")), true},
		"its service":                       {h.wantedFabricManagerService(), true},
	} {
		if test.v.FromHost != test.fromHost {
			t.Errorf("%s: %+v", name, test.v)
		}
	}
}
