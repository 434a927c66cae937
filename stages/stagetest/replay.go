package stagetest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/pdprov/pdprov/engine/plan"
	"github.com/pdprov/pdprov/hcl/model"
	"github.com/pdprov/pdprov/stages/stage"
)

// replay reads answers/HOST of every host. INTERIM format until remote/probe is
// there: index.json maps probe IDs to {outcome, exit, body file, detail}.
func replay(t *testing.T, dir string, d *model.Deployment) map[string]plan.Seen {
	t.Helper()
	seen := map[string]plan.Seen{}
	for _, h := range d.Hosts {
		folder := filepath.Join(dir, "answers", h.Name)
		raw, err := os.ReadFile(filepath.Join(folder, "index.json"))
		if err != nil {
			t.Fatal(err)
		}
		var index map[string]struct {
			Outcome, Body, Detail string
			Exit                  int
		}
		if err := json.Unmarshal(raw, &index); err != nil {
			t.Fatal(err)
		}
		facts := stage.Facts{}
		for id, e := range index {
			a := stage.Answer{Exit: e.Exit, Detail: e.Detail}
			for o := stage.NotAsked; o <= stage.Hung; o++ {
				if o.String() == e.Outcome {
					a.Outcome = o
				}
			}
			if e.Body != "" {
				if a.Body, err = os.ReadFile(filepath.Join(folder, e.Body)); err != nil {
					t.Fatal(err)
				}
			}
			facts[id] = a
		}
		seen[h.Name] = plan.Seen{State: plan.HostOK, Facts: facts}
	}
	return seen
}
