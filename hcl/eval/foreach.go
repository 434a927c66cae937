package eval

import (
	"fmt"
	"sort"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// item is one turn of for_each.
type item struct {
	key   string
	value cty.Value
}

// forEach lists the turns in order of their keys, and the stages that decide which there
// are. A stage or secret inside of a value counts where the value is used. items is nil
// when there is nothing to go on with.
func (s *scope) forEach(attr *hclsyntax.Attribute, dir string) (items []item, deps []string, diags hcl.Diagnostics) {
	v, diags := s.value(attr.Expr, dir, nil)
	rng := attr.Expr.Range()
	if diags.HasErrors() || !v.IsWhollyKnown() { // unknown is only what failed before
		return nil, nil, diags
	}
	v, marks := v.Unmark()
	_, deps, secret := unmark(cty.True.WithMarks(marks))
	if secret {
		return nil, nil, append(diags, problem(rng, "Sensitive value", "for_each cannot use a sensitive value: its keys become addresses, which are shown."))
	}
	items, wrong := turns(v)
	if wrong != "" {
		return nil, nil, append(diags, problem(rng, "Invalid for_each", wrong))
	}
	return items, deps, diags
}

// turns lists the elements of a map, object or set of strings.
func turns(v cty.Value) (items []item, wrong string) {
	t := v.Type()
	switch {
	case v.IsNull():
		return nil, "for_each takes a map or a set of strings, not null."
	case !t.IsMapType() && !t.IsObjectType() && !t.IsSetType():
		return nil, fmt.Sprintf("for_each takes a map or a set of strings, not a %s. A list becomes a set with toset([...]).", strings.Replace(t.FriendlyName(), "tuple", "list", 1))
	}
	items = []item{}
	for it := v.ElementIterator(); it.Next(); {
		k, value := it.Element()
		if k.Type() != cty.String || k.IsNull() {
			return nil, "A set for for_each holds strings only."
		}
		items = append(items, item{k.AsString(), value})
	}
	sort.Slice(items, func(i, j int) bool { return items[i].key < items[j].key })
	return items, ""
}
