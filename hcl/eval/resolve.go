package eval

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
)

// resolve evaluates a node once. from is the place that asks, for the message about a
// cycle; a name that failed is not complained about twice.
func (s *scope) resolve(n *node, from *hcl.Range) (cty.Value, hcl.Diagnostics) {
	switch {
	case n.done:
		return n.value, nil
	case n.running && n.failed:
		return cty.DynamicVal, nil
	case n.running:
		n.failed = true
		return cty.DynamicVal, hcl.Diagnostics{s.e.cycle(n, from)}
	}
	n.running = true
	s.e.running = append(s.e.running, n)
	v, diags := n.eval()
	s.e.running = s.e.running[:len(s.e.running)-1]
	n.running, n.done = false, true
	n.failed = n.failed || diags.HasErrors()
	if n.failed || v == cty.NilVal {
		v = cty.DynamicVal
	}
	n.value = v
	return v, diags
}

// cycle prints the names that wait for each other, each before the one that it needs.
func (e *evaluation) cycle(n *node, from *hcl.Range) *hcl.Diagnostic {
	var chain []string
	for _, m := range e.running[slices.Index(e.running, n):] {
		chain = append(chain, m.name)
	}
	if len(chain) == 1 {
		return problem(*from, "Cycle", fmt.Sprintf("%s needs itself.", n.name))
	}
	return problem(*from, "Cycle", fmt.Sprintf("These need each other, so none can come first: %s -> %s.", strings.Join(chain, " -> "), n.name))
}
