package eval

import (
	"fmt"
	"sort"

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
			fmt.Sprintf("There is no kind %q.%s The kinds are %v.", b.Labels[0], config.Suggest(b.Labels[0], known), known))}
	}
	diags := knownAttributes(b, kind)
	addr := s.prefix + b.Labels[0] + "." + b.Labels[1]
	attr, repeated := b.Body.Attributes["for_each"]
	if !repeated {
		v, more := s.instance(b, kind, addr, nil)
		return v, append(diags, more...)
	}
	items, deps, more := s.forEach(attr, b.Dir)
	diags = append(diags, more...)
	if more.HasErrors() {
		return cty.DynamicVal, diags
	}
	values := map[string]cty.Value{}
	for _, item := range items {
		each := map[string]cty.Value{"key": cty.StringVal(item.key), "value": item.value}
		v, more := s.instance(b, kind, fmt.Sprintf("%s[%q]", addr, item.key), each, deps...)
		diags = append(diags, more...)
		values[item.key] = v
	}
	return cty.ObjectVal(values), diags
}

func knownAttributes(b config.Block, kind stage.Kind) (diags hcl.Diagnostics) {
	names := append([]string(nil), general...)
	for _, a := range kind.Schema() {
		names = append(names, a.Name)
	}
	sort.Strings(names)
	for _, a := range config.Attributes(b.Body) {
		if !contains(names, a.Name) {
			diags = append(diags, problem(a.NameRange, "Unknown attribute",
				fmt.Sprintf("A stage of kind %q has no attribute %q.%s It takes %v.", kind.Name(), a.Name, config.Suggest(a.Name, names), names)))
		}
	}
	for _, inner := range b.Body.Blocks {
		hint := ""
		if contains(names, inner.Type) {
			hint = fmt.Sprintf(" Write %s = { ... }.", inner.Type)
		}
		diags = append(diags, problem(inner.TypeRange, "Unknown block", fmt.Sprintf("A stage holds attributes only, no block %q.%s", inner.Type, hint)))
	}
	return diags
}

// item is one turn of for_each.
type item struct {
	key   string
	value cty.Value
}

// forEach lists the turns in order of their keys, and the stages that went into the list.
func (s *scope) forEach(attr *hclsyntax.Attribute, dir string) (items []item, deps []string, diags hcl.Diagnostics) {
	v, diags := s.value(attr.Expr, dir, nil)
	if diags.HasErrors() {
		return nil, nil, diags
	}
	rng := attr.Expr.Range()
	_, deps, secret := unmark(v)
	v, _ = v.Unmark()
	switch {
	case secret:
		return nil, nil, append(diags, problem(rng, "Sensitive value", "for_each cannot use a sensitive value: its keys become addresses, which are shown."))
	case !v.IsWhollyKnown():
		return nil, nil, append(diags, problem(rng, "Invalid for_each", "The value could not be worked out."))
	case v.IsNull() || !(v.Type().IsMapType() || v.Type().IsObjectType() || v.Type().IsSetType()):
		return nil, nil, append(diags, problem(rng, "Invalid for_each", fmt.Sprintf("for_each takes a map or a set of strings, not %s. A list becomes a set with toset([...]).", v.Type().FriendlyName())))
	}
	for it := v.ElementIterator(); it.Next(); {
		k, value := it.Element()
		if v.Type().IsSetType() {
			k = value
		}
		k, _ = k.Unmark()
		if k.Type() != cty.String || k.IsNull() {
			return nil, nil, append(diags, problem(rng, "Invalid for_each", "The keys of for_each are strings."))
		}
		items = append(items, item{k.AsString(), value})
	}
	sort.Slice(items, func(i, j int) bool { return items[i].key < items[j].key })
	return items, deps, diags
}

// instance evaluates one stage and adds it to the deployment.
func (s *scope) instance(b config.Block, kind stage.Kind, addr string, each map[string]cty.Value, deps ...string) (cty.Value, hcl.Diagnostics) {
	st := model.Stage{
		Addr: addr, Kind: kind.Name(), Range: b.DefRange(), Ranges: map[string]hcl.Range{},
		Config: stage.Config{Values: map[string]any{}, Secret: map[string]bool{}},
	}
	in := &instance{s: s, st: &st, block: b, each: each, refs: map[string]bool{}, seen: map[string]cty.Value{
		"addr": cty.StringVal(addr), "kind": cty.StringVal(kind.Name()),
	}}
	for _, dep := range deps {
		in.refs[dep] = true
	}
	in.general()
	for _, a := range kind.Schema() {
		in.attribute(a)
	}
	st.Refs = sorted(in.refs)
	s.e.d.Stages = append(s.e.d.Stages, st)
	return cty.ObjectVal(in.seen).Mark(stageMark{addr}), in.diags
}

func sorted(set map[string]bool) []string {
	list := make([]string, 0, len(set))
	for k := range set {
		list = append(list, k)
	}
	sort.Strings(list)
	return list
}
