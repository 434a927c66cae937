package driver

import (
	"strings"
	"testing"

	"github.com/pdprov/pdprov/internal/gpu"
	"github.com/pdprov/pdprov/stages/stage"
)

// TestFabricManagerWithoutSwitches: what is said of it is what the stage does.
func TestFabricManagerWithoutSwitches(t *testing.T) {
	h := host{box: gpu.Box{Switches: stage.Is("0")}}
	h.set.packages = []part{{Name: "nvidia-fabricmanager", Version: stage.Is("580.95.05-1"), State: stage.Is("installed")}}
	if list := h.set.toHold(); len(list) != 1 {
		t.Fatalf("held are %v", list)
	}
	for pin, held := range map[string]bool{byHold: true, byPackage: false} {
		w := wish{fabricManager: true, pin: pin}
		list := w.warnings(h)
		if len(list) != 1 || strings.Contains(list[0].Detail, "held") != held || strings.Contains(list[0].Detail, "left alone") {
			t.Errorf("pin = %q: %+v", pin, list)
		}
	}
}

// TestSMIEndsBadly: what nvidia-smi says ends without a period of its own.
func TestSMIEndsBadly(t *testing.T) {
	f := stage.Facts{"gpu:nvidia-smi": {Outcome: stage.Failed, Exit: 9, Detail: "exit status 9: NVIDIA-SMI has failed."}}
	if v := answering(gpu.Box{}, f); v.Text != "nvidia-smi ends with 9: NVIDIA-SMI has failed" {
		t.Error(v)
	}
}
