package eval

import (
	"sort"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
)

// tree collects values by what stands before the last word of a name: "var", "stage.file".
type tree map[string]map[string]cty.Value

// put adds the value of the name that a reference begins with.
func (tr tree) put(t hcl.Traversal, v cty.Value) {
	above := t.RootName()
	name, _ := label(t)
	if kind, below, ok := strings.Cut(name, "."); ok && above == "stage" {
		above, name = above+"."+kind, below
	}
	if tr[above] == nil {
		tr[above] = map[string]cty.Value{}
	}
	tr[above][name] = v
}

// objects is what expressions see.
func (tr tree) objects() map[string]cty.Value {
	roots, kinds := map[string]cty.Value{}, map[string]cty.Value{}
	for above, values := range tr {
		if kind, ok := strings.CutPrefix(above, "stage."); ok {
			kinds[kind] = cty.ObjectVal(values)
		} else {
			roots[above] = cty.ObjectVal(values)
		}
	}
	if len(kinds) > 0 {
		roots["stage"] = cty.ObjectVal(kinds)
	}
	return roots
}

// names lists the names below a prefix, for suggestions.
func (s *scope) names(prefix string) (names []string) {
	for name := range s.nodes {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			names = append(names, rest)
		}
	}
	sort.Strings(names)
	return names
}

// step is the i-th word of a reference.
func step(t hcl.Traversal, i int) (string, bool) {
	if i >= len(t) {
		return "", false
	}
	switch x := t[i].(type) {
	case hcl.TraverseAttr:
		return x.Name, true
	case hcl.TraverseIndex:
		if x.Key.Type() == cty.String && x.Key.IsKnown() && !x.Key.IsNull() {
			return x.Key.AsString(), true
		}
	}
	return "", false
}
