package plan

import (
	"reflect"
	"testing"

	"github.com/pdprov/pdprov/stages/stage"
)

// TestUnknownPathsOfOneReason: a probe that failed is told once, with all that hangs on it.
func TestUnknownPathsOfOneReason(t *testing.T) {
	missing := stage.Value{Probe: "driver.kernel", Reason: "the host has no modinfo"}
	other := stage.Value{Probe: "gpu:nvidia-smi", Reason: "no answer within 30 s"}
	have := stage.Surface{"a": missing, "b": other, "c": missing, "d": stage.Is("x")}
	want := stage.Surface{"a": stage.SomeValue(), "b": stage.SomeValue(), "c": stage.SomeValue(), "d": stage.Is("x")}
	got := compare(want, have, nil, "", nil).unknown
	if expect := []Evidence{
		{Probe: "driver.kernel", Outcome: "unknown", Detail: "a, c: the host has no modinfo"},
		{Probe: "gpu:nvidia-smi", Outcome: "unknown", Detail: "b: no answer within 30 s"},
	}; !reflect.DeepEqual(got, expect) {
		t.Errorf("got %+v, want %+v", got, expect)
	}
}
