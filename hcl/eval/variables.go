package eval

import (
	"fmt"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/ext/typeexpr"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"github.com/pdprov/pdprov/hcl/config"
)

// variable is the value of a variable block: given or default, of its type, valid.
func (s *scope) variable(b config.Block) (cty.Value, hcl.Diagnostics) {
	diags := only(b, "type", "default", "sensitive", "description")
	want, defaults, more := variableType(b)
	diags = append(diags, more...)
	secret, more := s.flag(b, "sensitive")
	diags = append(diags, more...)
	g, rng, more := s.source(b)
	diags = append(diags, more...)
	hidden := secret || meantSensitive(b)
	if hidden {
		s.e.secret(g.value) // noted before it can be refused
		s.e.concealed(b)
		if g.expr != nil {
			s.e.written = append(s.e.written, config.Literals(g.expr)...)
		}
	}
	if diags.HasErrors() {
		return cty.DynamicVal, diags
	}
	v, err := conform(g.value, want, defaults)
	if err == nil && !v.IsWhollyKnown() { // it failed before, and was complained about
		return cty.DynamicVal, diags
	}
	if err != nil {
		why := reason(err)
		if hidden {
			why = err.Error() // without the place, which may name a key
		}
		return cty.DynamicVal, append(diags, problem(rng, "Invalid value", fmt.Sprintf("Variable %q%s has type %s: %s.", b.Labels[0], g.by(), typeexpr.TypeString(want), why)))
	}
	if secret {
		v = s.e.secret(v)
	} else if s.prefix == "" {
		s.e.d.PlainVariables = append(s.e.d.PlainVariables, b.Labels[0])
	}
	return v, append(diags, s.valid(b, v, rng)...)
}

func variableType(b config.Block) (cty.Type, *typeexpr.Defaults, hcl.Diagnostics) {
	if attr, ok := b.Body.Attributes["type"]; ok {
		return typeexpr.TypeConstraintWithDefaults(attr.Expr)
	}
	return cty.DynamicPseudoType, nil, nil
}

// conform fills the optional attributes in and makes a value one of the type.
func conform(v cty.Value, want cty.Type, defaults *typeexpr.Defaults) (cty.Value, error) {
	if defaults != nil && !v.IsNull() {
		v = defaults.Apply(v)
	}
	return convert.Convert(v, want)
}

// source is the value given from outside, else the default, and its place.
func (s *scope) source(b config.Block) (given, hcl.Range, hcl.Diagnostics) {
	g, ok := s.given[b.Labels[0]]
	if ok && g.expr != nil {
		return g, g.expr.Range(), nil
	}
	if ok {
		return g, b.DefRange(), nil
	}
	attr, ok := b.Body.Attributes["default"]
	if !ok && s.e.lenient && s.caller == nil {
		s.e.d.Unset = append(s.e.d.Unset, b.Labels[0])
		return given{value: cty.DynamicVal}, b.DefRange(), nil
	}
	if !ok {
		return given{value: cty.DynamicVal}, b.DefRange(), hcl.Diagnostics{s.missing(b)}
	}
	ctx := &hcl.EvalContext{Functions: s.functions(b.Dir)}
	v, diags := attr.Expr.Value(ctx)
	return given{value: v, expr: attr.Expr}, attr.Expr.Range(), diags
}

func (s *scope) missing(b config.Block) *hcl.Diagnostic {
	name := b.Labels[0]
	if s.caller != nil {
		return problem(s.caller.DefRange(), "Missing value", fmt.Sprintf("This module needs a value for its variable %q (%s). Write %s = ... in the block.", name, b.DefRange(), name))
	}
	ways := fmt.Sprintf("--var %s=VALUE, --var-file FILE, or %s%s in the environment", name, envPrefix, name)
	if meantSensitive(b) { // an argument shows in the list of processes
		ways = fmt.Sprintf("--var-file FILE, or %s%s in the environment", envPrefix, name)
	}
	return problem(b.DefRange(), "Missing value", fmt.Sprintf("Variable %q has no default and no value was given. Give it with %s.", name, ways))
}

// flag is a boolean attribute that must be written out.
func (s *scope) flag(b config.Block, name string) (bool, hcl.Diagnostics) {
	attr, ok := b.Body.Attributes[name]
	if !ok {
		return false, nil
	}
	v, diags := attr.Expr.Value(nil)
	if !diags.HasErrors() && (v.Type() != cty.Bool || v.IsNull() || !v.IsKnown()) {
		diags = append(diags, problem(attr.Expr.Range(), "Invalid value", name+" is true or false."))
	}
	return !diags.HasErrors() && v.True(), diags
}
