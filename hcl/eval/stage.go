package eval

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/pdprov/pdprov/hcl/config"
	"github.com/pdprov/pdprov/hcl/model"
	"github.com/pdprov/pdprov/stages/stage"
)

type hclExpression = hclsyntax.Expression

// general are the attributes that every stage takes.
var general = []string{"hosts", "depends_on", "ignore", "for_each"}

// stage evaluates a stage block, adds its instances, and gives what expressions see:
// one object, or with for_each an object of them by key.
func (s *scope) stage(b config.Block) (cty.Value, hcl.Diagnostics) {
	kind, ok := s.e.o.Kinds.Lookup(b.Labels[0])
	if !ok {
		known := s.e.o.Kinds.Names()
		return cty.DynamicVal, hcl.Diagnostics{problem(b.LabelRanges[0], "Unknown kind of stage",
			fmt.Sprintf("There is no kind %q.%s The kinds are %s.", b.Labels[0], config.Suggest(b.Labels[0], known), strings.Join(known, ", ")))}
	}
	diags := knownAttributes(b, kind)
	addr := s.prefix + b.Labels[0] + "." + b.Labels[1]
	attr, repeated := b.Body.Attributes["for_each"]
	at := append(slices.Clone(s.place), b.Order)
	if !repeated {
		s.e.places[addr] = at
		v, more := s.instance(b, kind, addr, nil)
		return v, append(diags, more...)
	}
	items, deps, more := s.forEach(attr, b.Dir)
	diags = append(diags, more...)
	if items == nil {
		return cty.DynamicVal, diags
	}
	if len(items) == 0 {
		v, more := s.none(b, addr, deps)
		return v, append(diags, more...)
	}
	values := map[string]cty.Value{}
	for i, item := range items {
		addr := fmt.Sprintf("%s[%q]", addr, item.key)
		s.e.places[addr] = append(slices.Clone(at), i)
		each := map[string]cty.Value{"key": cty.StringVal(item.key), "value": item.value}
		v, more := s.instance(b, kind, addr, each, deps...)
		diags = append(diags, more...)
		values[item.key] = v
	}
	return cty.ObjectVal(values), diags
}

// none is what expressions see of a for_each without instances. Who comes after it comes
// after what it would have come after.
func (s *scope) none(b config.Block, addr string, deps []string) (cty.Value, hcl.Diagnostics) {
	var diags hcl.Diagnostics
	if attr, ok := b.Body.Attributes["depends_on"]; ok {
		var more []string
		more, diags = s.dependsOn(attr)
		deps = union(deps, more)
	}
	s.e.empty[addr] = union(deps, s.after)
	marks := cty.ValueMarks{}
	for _, dep := range s.e.empty[addr] {
		marks[stageMark{dep}] = struct{}{}
	}
	return cty.EmptyObjectVal.WithMarks(marks), diags
}

func knownAttributes(b config.Block, kind stage.Kind) (diags hcl.Diagnostics) {
	names := append([]string(nil), general...)
	for _, a := range kind.Schema() {
		names = append(names, a.Name)
	}
	sort.Strings(names)
	for _, a := range config.Attributes(b.Body) {
		if !slices.Contains(names, a.Name) {
			diags = append(diags, problem(a.NameRange, "Unknown attribute",
				fmt.Sprintf("A stage of kind %q has no attribute %q.%s It takes %s.", kind.Name(), a.Name, config.Suggest(a.Name, names), strings.Join(names, ", "))))
		}
	}
	for _, inner := range b.Body.Blocks {
		hint := ""
		if slices.Contains(names, inner.Type) {
			hint = fmt.Sprintf(" Write %s = { ... }.", inner.Type)
		}
		diags = append(diags, problem(inner.TypeRange, "Unknown block", fmt.Sprintf("A stage holds attributes only, no block %q.%s", inner.Type, hint)))
	}
	return diags
}

// instance evaluates one stage and adds it to the deployment.
func (s *scope) instance(b config.Block, kind stage.Kind, addr string, each map[string]cty.Value, deps ...string) (cty.Value, hcl.Diagnostics) {
	st := model.Stage{
		Addr: addr, Kind: kind.Name(), Dir: b.Dir, Range: b.DefRange(), Ranges: map[string]hcl.Range{},
		Config: stage.Config{Values: map[string]any{}, Secret: map[string]bool{}, SecretKeys: map[string]bool{}},
	}
	in := &instance{s: s, st: &st, block: b, each: each, refs: map[string]bool{}, seen: map[string]cty.Value{
		"addr": cty.StringVal(addr), "kind": cty.StringVal(kind.Name()),
	}}
	for _, dep := range deps {
		in.refs[dep] = true
	}
	in.general()
	st.DependsOn = union(st.DependsOn, s.after)
	for _, a := range kind.Schema() {
		in.attribute(a)
	}
	st.Refs = sorted(in.refs)
	s.e.d.Stages = append(s.e.d.Stages, st)
	return cty.ObjectVal(in.seen).Mark(stageMark{addr}), in.diags
}
