package eval

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/pdprov/pdprov/hcl/config"
)

// module evaluates one use of a module, adds its stages, and gives its outputs.
func (s *scope) module(b config.Block) (cty.Value, hcl.Diagnostics) {
	files, id, diags := s.moduleFiles(b)
	if diags.HasErrors() {
		return cty.DynamicVal, diags
	}
	if i := slices.Index(s.e.modules, id); i >= 0 {
		return cty.DynamicVal, hcl.Diagnostics{problem(b.DefRange(), "Cycle", "This module uses itself: "+strings.Join(relative(append(slices.Clone(s.e.modules[i:]), id)), " -> ")+".")}
	}
	values, more := s.inputs(b, files)
	diags = append(diags, more...)
	hosts, deciding, more := s.moduleHosts(b)
	diags = append(diags, more...)
	after, more := s.moduleAfter(b, files)
	if diags = append(diags, more...); diags.HasErrors() {
		return cty.DynamicVal, diags
	}
	inner := s.e.scope(files, s.prefix+"module."+b.Labels[0]+".", values)
	inner.hosts, inner.defaultHosts, inner.caller = s.hosts, hosts, &b
	inner.after = union(s.after, union(deciding, after))
	inner.place = append(slices.Clone(s.place), b.Order)
	s.e.modules = append(s.e.modules, id)
	diags = append(diags, inner.all()...)
	s.e.modules = s.e.modules[:len(s.e.modules)-1]
	s.e.hollow(s.prefix+"module."+b.Labels[0], inner.after)
	return inner.outputs(), diags
}

// outputs is what expressions see of a module.
func (s *scope) outputs() cty.Value {
	values := map[string]cty.Value{}
	for _, b := range s.files.Outputs {
		values[b.Labels[0]] = s.nodes["output."+b.Labels[0]].value
	}
	return cty.ObjectVal(values)
}

// inputs evaluates the attributes of a module block, which are its variables.
func (s *scope) inputs(b config.Block, files *config.Module) (map[string]given, hcl.Diagnostics) {
	var names []string
	for _, v := range files.Variables {
		names = append(names, v.Labels[0])
	}
	values := map[string]given{}
	var diags hcl.Diagnostics
	for _, attr := range config.Attributes(b.Body) {
		switch {
		case attr.Name == "source" || (attr.Name == "hosts" || attr.Name == "depends_on") && !slices.Contains(names, attr.Name):
			continue
		case attr.Name == "for_each" || attr.Name == "count":
			diags = append(diags, problem(attr.NameRange, "Unknown attribute", "A module is used once; for_each is for stages. Write one module block for each use."))
			continue
		case !slices.Contains(names, attr.Name):
			diags = append(diags, problem(attr.NameRange, "Unknown attribute", fmt.Sprintf("The module has no variable %q.%s", attr.Name, config.Suggest(attr.Name, names))))
			continue
		}
		v, more := s.value(attr.Expr, b.Dir, nil)
		diags = append(diags, more...)
		values[attr.Name] = given{value: v, expr: attr.Expr}
	}
	for _, inner := range b.Body.Blocks {
		diags = append(diags, problem(inner.TypeRange, "Unknown block", fmt.Sprintf("A module block has no block %q inside.", inner.Type)))
	}
	return values, diags
}

// moduleHosts are the hosts of the module's stages that name none, and the stages that
// decide which those are.
func (s *scope) moduleHosts(b config.Block) (names, deciding []string, diags hcl.Diagnostics) {
	attr, ok := b.Body.Attributes["hosts"]
	if !ok {
		return s.defaultHosts, nil, nil
	}
	v, diags := s.value(attr.Expr, b.Dir, nil)
	if diags.HasErrors() || !v.IsWhollyKnown() {
		return nil, nil, diags
	}
	_, deciding, _ = unmark(v)
	names, more := s.hostNames(v, attr.Expr.Range())
	return names, deciding, append(diags, more...)
}

// moduleAfter are the stages that depends_on names, unless it is a variable of the module.
func (s *scope) moduleAfter(b config.Block, files *config.Module) ([]string, hcl.Diagnostics) {
	attr, ok := b.Body.Attributes["depends_on"]
	if !ok || slices.ContainsFunc(files.Variables, func(v config.Block) bool { return v.Labels[0] == "depends_on" }) {
		return nil, nil
	}
	return s.dependsOn(attr)
}
