package packages

import (
	"testing"

	"github.com/pdprov/pdprov/internal/osrelease"
	"github.com/pdprov/pdprov/stages/stage"
)

// TestOSReleaseWithoutID: an unusable answer is unknown, another system is an error.
func TestOSReleaseWithoutID(t *testing.T) {
	in := stage.Instance{Config: stage.Config{Values: map[string]any{"packages": map[string]string{"jq": "*"}}}}
	for body, wrong := range map[string]bool{"": false, "\x00garbage": false, "NAME=x\n": false, "ID=\n": false, "ID=arch\n": true, "ID=debian\n": false} {
		f := stage.Facts{osrelease.ID: {Outcome: stage.Answered, Body: []byte(body)}}
		if _, findings := (Kind{}).Want(in, f); (len(findings) > 0) != wrong {
			t.Errorf("%q: %v", body, findings)
		}
		if v := (Kind{}).Have(in, f)["jq"]; v.State != stage.Unknown || v.Reason == "" {
			t.Errorf("%q: %+v", body, v)
		}
	}
}
