package cli

import (
	"fmt"
	"strings"

	"github.com/pdprov/pdprov/engine/plan"
	"github.com/pdprov/pdprov/hcl/model"
)

// check refuses hosts and stages that the plan does not have.
func (n *narrowing) check(d *model.Deployment) error {
	for _, name := range n.hosts {
		if _, ok := d.Host(name); !ok {
			return fmt.Errorf("no host %q in the plan; it has %s", name, strings.Join(hostNames(d, nil), ", "))
		}
	}
	for _, addr := range n.targets {
		if len(d.Below(addr)) == 0 {
			return fmt.Errorf("no stage %q in the plan; pdprov graph shows all addresses", addr)
		}
	}
	return nil
}

// hostNames are the hosts that are left, in order of declaration.
func hostNames(d *model.Deployment, only []string) []string {
	var names []string
	for _, h := range plan.Hosts(d, plan.Options{Hosts: only}) {
		names = append(names, h.Name)
	}
	return names
}
