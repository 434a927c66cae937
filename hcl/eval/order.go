package eval

import (
	"slices"

	"github.com/hashicorp/hcl/v2"

	"github.com/pdprov/pdprov/hcl/config"
	"github.com/pdprov/pdprov/hcl/model"
)

// place is where a stage is declared: the order of its block, with those of the modules
// around it before, and its turn of for_each after.
type place []int

// inOrder sorts hosts and stages by their declaration. They were added in the order in
// which others needed them.
func (e *evaluation) inOrder(files *config.Module) {
	hosts := map[string]int{}
	for _, b := range files.Hosts {
		hosts[b.Labels[0]] = b.Order
	}
	slices.SortStableFunc(e.d.Hosts, func(a, b model.Host) int { return hosts[a.Name] - hosts[b.Name] })
	slices.SortStableFunc(e.d.Stages, func(a, b model.Stage) int { return slices.Compare(e.places[a.Addr], e.places[b.Addr]) })
}

// once leaves out diagnostics that repeat one word for word: a block is evaluated for
// each turn of for_each and for each use of its module.
func once(diags hcl.Diagnostics) (list hcl.Diagnostics) {
	type words struct {
		summary, detail string
		rng             hcl.Range
	}
	said := map[words]bool{}
	for _, d := range diags {
		w := words{summary: d.Summary, detail: d.Detail}
		if d.Subject != nil {
			w.rng = *d.Subject
		}
		if !said[w] {
			said[w] = true
			list = append(list, d)
		}
	}
	return list
}
