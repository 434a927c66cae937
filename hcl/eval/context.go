package eval

import (
	"fmt"
	"sort"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/pdprov/pdprov/hcl/config"
)

// roots are the first words of a reference.
var roots = []string{"var", "local", "host", "stage", "module", "each"}

// context holds what one expression refers to, and nothing else.
func (s *scope) context(expr hclsyntax.Expression, dir string, each map[string]cty.Value) (*hcl.EvalContext, hcl.Diagnostics) {
	var diags hcl.Diagnostics
	names := map[string]map[string]cty.Value{}
	put := func(root, name string, v cty.Value) {
		if names[root] == nil {
			names[root] = map[string]cty.Value{}
		}
		names[root][name] = v
	}
	stages := map[string]map[string]cty.Value{}
	for _, t := range expr.Variables() {
		switch root := t.RootName(); root {
		case "each":
			if each == nil {
				diags = append(diags, problem(t.SourceRange(), "each outside of for_each", "each.key and each.value exist in a stage with for_each only."))
			}
		case "var", "local", "module", "host":
			name, v, more := s.refer(root, t)
			diags = append(diags, more...)
			put(root, name, v)
		case "stage":
			kind, name, v, more := s.referStage(t)
			diags = append(diags, more...)
			if stages[kind] == nil {
				stages[kind] = map[string]cty.Value{}
			}
			stages[kind][name] = v
		default:
			diags = append(diags, problem(t.SourceRange(), "Unknown reference", fmt.Sprintf("There is nothing called %q.%s A reference begins with one of %s.", root, config.Suggest(root, roots), strings.Join(roots, ", "))))
		}
	}
	ctx := &hcl.EvalContext{Variables: map[string]cty.Value{}, Functions: s.functions(dir)}
	for root, values := range names {
		ctx.Variables[root] = cty.ObjectVal(values)
	}
	if len(stages) > 0 {
		kinds := map[string]cty.Value{}
		for kind, values := range stages {
			kinds[kind] = cty.ObjectVal(values)
		}
		ctx.Variables["stage"] = cty.ObjectVal(kinds)
	}
	if each != nil {
		ctx.Variables["each"] = cty.ObjectVal(each)
	}
	return ctx, diags
}

// refer finds the node behind var.x, local.x, module.x or host.x.
func (s *scope) refer(root string, t hcl.Traversal) (string, cty.Value, hcl.Diagnostics) {
	name, ok := step(t, 1)
	if !ok {
		return "", cty.DynamicVal, hcl.Diagnostics{problem(t.SourceRange(), "Incomplete reference", fmt.Sprintf("Write %s.NAME.", root))}
	}
	in := s
	if root == "host" {
		in = s.hosts
	}
	n, ok := in.nodes[root+"."+name]
	if !ok {
		return name, cty.DynamicVal, hcl.Diagnostics{problem(t.SourceRange(), "Unknown reference", fmt.Sprintf("There is no %s.%s.%s", root, name, config.Suggest(name, in.names(root+"."))))}
	}
	v, diags := in.resolve(n, t.SourceRange().Ptr())
	return name, v, diags
}

// referStage finds the node behind stage.KIND.NAME.
func (s *scope) referStage(t hcl.Traversal) (kind, name string, v cty.Value, diags hcl.Diagnostics) {
	kind, ok := step(t, 1)
	name, ok2 := step(t, 2)
	if !ok || !ok2 {
		return kind, name, cty.DynamicVal, hcl.Diagnostics{problem(t.SourceRange(), "Incomplete reference", "Write stage.KIND.NAME.")}
	}
	n, ok := s.nodes["stage."+kind+"."+name]
	if !ok {
		return kind, name, cty.DynamicVal, hcl.Diagnostics{problem(t.SourceRange(), "Unknown reference", fmt.Sprintf("There is no stage.%s.%s.%s", kind, name, config.Suggest(kind+"."+name, s.names("stage."))))}
	}
	v, diags = s.resolve(n, t.SourceRange().Ptr())
	return kind, name, v, diags
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
