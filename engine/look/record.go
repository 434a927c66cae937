package look

import (
	"os"
	"path/filepath"

	"github.com/pdprov/pdprov/engine/plan"
	"github.com/pdprov/pdprov/hcl/model"
	"github.com/pdprov/pdprov/remote/probe"
	"github.com/pdprov/pdprov/stages/stage"
)

// Record keeps what was seen in a folder, one folder a host; a host that could not
// be looked at is not kept.
func Record(dir string, d *model.Deployment, kinds stage.Kinds, seen map[string]plan.Seen) error {
	for i := range d.Hosts {
		h := &d.Hosts[i]
		s, ok := seen[h.Name]
		if !ok || s.State != plan.HostOK {
			continue
		}
		if err := probe.Record(dir, h.Name, s.Facts); err != nil {
			return err
		}
	}
	return nil
}

// Replay reads what Record kept. A host that is not in the recording is unknown.
func Replay(dir string, d *model.Deployment) (map[string]plan.Seen, error) {
	if _, err := os.Stat(dir); err != nil {
		return nil, err
	}
	seen := map[string]plan.Seen{}
	for i := range d.Hosts {
		name := d.Hosts[i].Name
		facts, err := probe.Replay(dir, name)
		switch {
		case os.IsNotExist(err):
			seen[name] = plan.Seen{State: plan.HostUnknown, Error: name + ": not in the recording " + filepath.Clean(dir)}
		case err != nil:
			return nil, err
		default:
			seen[name] = FromFacts(facts)
		}
	}
	return seen, nil
}
