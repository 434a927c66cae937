package eval

import (
	"fmt"
	"maps"
	"slices"
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
	seen := tree{}
	for _, t := range expr.Variables() {
		if t.RootName() == "each" {
			if wrong := wrongEach(t, each); wrong != nil {
				diags = append(diags, wrong)
			}
			continue
		}
		v, more := s.refer(t)
		diags = append(diags, more...)
		if !more.HasErrors() {
			seen.put(t, v)
		}
	}
	ctx := &hcl.EvalContext{Variables: seen.objects(), Functions: s.functions(dir)}
	if each != nil {
		ctx.Variables["each"] = cty.ObjectVal(each)
	}
	return ctx, diags
}

func wrongEach(t hcl.Traversal, each map[string]cty.Value) *hcl.Diagnostic {
	if each == nil {
		return problem(t.SourceRange(), "each outside of for_each", "each.key and each.value exist in a stage with for_each only.")
	}
	if name, ok := step(t, 1); !ok || each[name] == cty.NilVal {
		return problem(t.SourceRange(), "Unknown reference", "There are each.key and each.value, nothing else of each.")
	}
	return nil
}

// refer is the value of the name that a reference begins with.
func (s *scope) refer(t hcl.Traversal) (cty.Value, hcl.Diagnostics) {
	n, diags := s.find(t)
	if n == nil {
		return cty.DynamicVal, diags
	}
	v, diags := s.resolve(n, t.SourceRange().Ptr())
	if wrong := noSuchAttribute(t, v); wrong != nil && !diags.HasErrors() {
		diags = append(diags, wrong)
	}
	return v, diags
}

// find finds the node behind var.x, local.x, module.x, host.x or stage.kind.x.
func (s *scope) find(t hcl.Traversal) (*node, hcl.Diagnostics) {
	root := t.RootName()
	if !slices.Contains(roots, root) {
		return nil, hcl.Diagnostics{problem(t.SourceRange(), "Unknown reference", fmt.Sprintf("There is nothing called %q.%s A reference begins with one of %s.", root, config.Suggest(root, roots), strings.Join(roots, ", ")))}
	}
	form := root + ".NAME"
	if root == "stage" {
		form = "stage.KIND.NAME"
	}
	name, ok := label(t)
	if !ok {
		return nil, hcl.Diagnostics{problem(t.SourceRange(), "Incomplete reference", fmt.Sprintf("Write %s, with the name written out.", form))}
	}
	in := s
	if root == "host" {
		in = s.hosts
	}
	n, ok := in.nodes[root+"."+name]
	if !ok {
		return nil, hcl.Diagnostics{problem(t.SourceRange(), "Unknown reference", fmt.Sprintf("There is no %s.%s.%s", root, name, config.Suggest(name, in.names(root+"."))))}
	}
	return n, nil
}

// label is what stands between the root of a reference and the attributes: "x" of
// var.x, "file.x" of stage.file.x.
func label(t hcl.Traversal) (string, bool) {
	name, ok := step(t, 1)
	if t.RootName() != "stage" || !ok {
		return name, ok
	}
	second, ok := step(t, 2)
	return name + "." + second, ok
}

// noSuchAttribute refuses an attribute that a host, stage or module never has; what the
// language itself says knows no suggestion. With for_each a stage holds instances.
func noSuchAttribute(t hcl.Traversal, v cty.Value) *hcl.Diagnostic {
	at := map[string]int{"host": 2, "module": 2, "stage": 3}[t.RootName()]
	v, _ = v.Unmark()
	if at == 0 || len(t) <= at || !v.Type().IsObjectType() {
		return nil
	}
	attr, ok := t[at].(hcl.TraverseAttr)
	if !ok || v.Type().HasAttribute(attr.Name) {
		return nil
	}
	name, _ := label(t)
	if _, single := stageAddr(v); at == 3 && !single {
		return problem(t.SourceRange(), "Unknown reference", fmt.Sprintf(`stage.%[1]s has for_each. Write stage.%[1]s["KEY"].%[2]s for one of its instances, or [for x in stage.%[1]s : x.%[2]s] for all.`, name, attr.Name))
	}
	known := slices.Sorted(maps.Keys(v.Type().AttributeTypes()))
	detail := fmt.Sprintf("%s.%s has no %q.%s", t.RootName(), name, attr.Name, config.Suggest(attr.Name, known))
	if len(known) > 0 {
		detail += fmt.Sprintf(" It has %s.", strings.Join(known, ", "))
	}
	return problem(t.SourceRange(), "Unknown reference", detail)
}
