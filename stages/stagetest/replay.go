package stagetest

import (
	"path/filepath"
	"testing"

	"github.com/pdprov/pdprov/engine/plan"
	"github.com/pdprov/pdprov/hcl/model"
	"github.com/pdprov/pdprov/remote/probe"
)

// replay reads the recorded answers of every host of the case.
func replay(t *testing.T, dir string, d *model.Deployment) map[string]plan.Seen {
	t.Helper()
	seen := map[string]plan.Seen{}
	for _, h := range d.Hosts {
		facts, err := probe.Replay(filepath.Join(dir, "answers"), h.Name)
		if err != nil {
			t.Fatal(err)
		}
		seen[h.Name] = plan.Seen{State: plan.HostOK, Facts: facts}
	}
	return seen
}
