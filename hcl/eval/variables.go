package eval

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/ext/typeexpr"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/pdprov/pdprov/hcl/config"
)

// envPrefix begins the names of environment variables that give values.
const envPrefix = "PDPROV_VAR_"

// given collects the values of the plan's variables: the environment first, then files
// in their order, then --var; the later wins.
func (e *evaluation) given(m *config.Module) (map[string]cty.Value, hcl.Diagnostics) {
	declared := map[string]config.Block{}
	var names []string
	for _, b := range m.Variables {
		declared[b.Labels[0]] = b
		names = append(names, b.Labels[0])
	}
	values := map[string]cty.Value{}
	var diags hcl.Diagnostics
	for _, pair := range e.o.Environ {
		name, text, _ := strings.Cut(pair, "=")
		if name, ok := strings.CutPrefix(name, envPrefix); ok {
			if b, ok := declared[name]; ok {
				v, more := fromText(b, text, envPrefix+name)
				values[name] = v
				diags = append(diags, more...)
			}
		}
	}
	for _, file := range e.o.VarFiles {
		diags = append(diags, e.varFile(file, declared, names, values)...)
	}
	for _, pair := range e.o.Vars {
		name, text, ok := strings.Cut(pair, "=")
		b, known := declared[name]
		switch {
		case !ok:
			diags = append(diags, unplaced("Invalid --var", fmt.Sprintf("--var is written NAME=VALUE; %q has no \"=\".", name)))
		case !known:
			diags = append(diags, unplaced("Undeclared variable", fmt.Sprintf("--var %s: no variable of this name is declared in the plan.%s", name, config.Suggest(name, names))))
		default:
			v, more := fromText(b, text, "--var "+name)
			values[name] = v
			diags = append(diags, more...)
		}
	}
	return values, diags
}

func unplaced(summary, detail string) *hcl.Diagnostic {
	return &hcl.Diagnostic{Severity: hcl.DiagError, Summary: summary, Detail: detail}
}

// fromText reads a value given as text: as it stands for a variable without a type or
// of type string, else as an expression.
func fromText(b config.Block, text, source string) (cty.Value, hcl.Diagnostics) {
	attr, typed := b.Body.Attributes["type"]
	if !typed {
		return cty.StringVal(text), nil
	}
	t, diags := typeexpr.TypeConstraint(attr.Expr)
	if diags.HasErrors() || t == cty.String {
		return cty.StringVal(text), nil
	}
	expr, diags := hclsyntax.ParseExpression([]byte(text), source, hcl.InitialPos)
	if !diags.HasErrors() {
		var v cty.Value
		if v, diags = expr.Value(nil); !diags.HasErrors() {
			return v, nil
		}
	}
	return cty.DynamicVal, hcl.Diagnostics{unplaced("Invalid value", fmt.Sprintf("%s: the variable has type %s, and the text given is not an expression of that type.", source, typeexpr.TypeString(t)))}
}

func (e *evaluation) varFile(path string, declared map[string]config.Block, names []string, values map[string]cty.Value) hcl.Diagnostics {
	text, err := os.ReadFile(path)
	if err != nil {
		return hcl.Diagnostics{unplaced("Variables file cannot be read", err.Error()+".")}
	}
	found, diags := e.parseVarFile(path, text)
	keys := make([]string, 0, len(found))
	for name := range found {
		keys = append(keys, name)
	}
	sort.Strings(keys)
	for _, name := range keys {
		if _, ok := declared[name]; !ok {
			diags = append(diags, &hcl.Diagnostic{
				Severity: hcl.DiagWarning, Summary: "Undeclared variable",
				Detail: fmt.Sprintf("%s gives a value to %q, which the plan does not declare.%s", path, name, config.Suggest(name, names)),
			})
			continue
		}
		values[name] = found[name]
	}
	return diags
}

func (e *evaluation) parseVarFile(path string, text []byte) (map[string]cty.Value, hcl.Diagnostics) {
	found := map[string]cty.Value{}
	if filepath.Ext(path) == ".json" {
		var raw map[string]json.RawMessage
		if err := json.Unmarshal(text, &raw); err != nil {
			return nil, hcl.Diagnostics{unplaced("Variables file cannot be read", fmt.Sprintf("%s: %s.", path, err))}
		}
		for name, value := range raw {
			var v ctyjson.SimpleJSONValue
			if err := json.Unmarshal(value, &v); err == nil {
				found[name] = v.Value
			}
		}
		return found, nil
	}
	f, diags := hclsyntax.ParseConfig(text, path, hcl.InitialPos)
	if diags.HasErrors() {
		e.sensitive = true // the text may hold secrets: print no values of it
		return nil, diags
	}
	attrs, more := f.Body.JustAttributes()
	diags = append(diags, more...)
	for name, attr := range attrs {
		v, more := attr.Expr.Value(nil)
		diags = append(diags, more...)
		found[name] = v
	}
	return found, diags
}

// variable is the value of a variable block: given or default, of its type, valid.
func (s *scope) variable(b config.Block) (cty.Value, hcl.Diagnostics) {
	diags := only(b, "type", "default", "sensitive", "description")
	want := cty.DynamicPseudoType
	var defaults *typeexpr.Defaults
	if attr, ok := b.Body.Attributes["type"]; ok {
		var more hcl.Diagnostics
		want, defaults, more = typeexpr.TypeConstraintWithDefaults(attr.Expr)
		diags = append(diags, more...)
	}
	secret, more := s.flag(b, "sensitive")
	diags = append(diags, more...)
	v, rng, more := s.source(b)
	diags = append(diags, more...)
	if diags.HasErrors() {
		return cty.DynamicVal, diags
	}
	if defaults != nil && !v.IsNull() {
		v = defaults.Apply(v)
	}
	converted, err := convert.Convert(v, want)
	if err != nil {
		return cty.DynamicVal, append(diags, problem(rng, "Invalid value", fmt.Sprintf("Variable %q has type %s: %s.", b.Labels[0], typeexpr.TypeString(want), err)))
	}
	if secret {
		s.e.sensitive = true
		s.e.secrets = append(s.e.secrets, secretTexts(converted)...)
		converted = converted.Mark(secretMark{})
	} else if s.prefix == "" {
		s.e.d.PlainVariables = append(s.e.d.PlainVariables, b.Labels[0])
	}
	return converted, append(diags, s.valid(b, converted)...)
}

// source is the value given from outside, else the default.
func (s *scope) source(b config.Block) (cty.Value, hcl.Range, hcl.Diagnostics) {
	name := b.Labels[0]
	if v, ok := s.given[name]; ok {
		return v, b.DefRange(), nil
	}
	attr, ok := b.Body.Attributes["default"]
	if !ok {
		how := fmt.Sprintf("Give it with --var %s=VALUE, --var-file FILE, or %s%s in the environment.", name, envPrefix, name)
		if s.prefix != "" {
			how = "Give it in the module block that uses this module."
		}
		return cty.DynamicVal, b.DefRange(), hcl.Diagnostics{problem(b.DefRange(), "Missing value", fmt.Sprintf("Variable %q has no default and no value was given. %s", name, how))}
	}
	v, diags := attr.Expr.Value(&hcl.EvalContext{Functions: s.functions(b.Dir)})
	return v, attr.Expr.Range(), diags
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

// valid checks the validation blocks of a variable.
func (s *scope) valid(b config.Block, v cty.Value) (diags hcl.Diagnostics) {
	ctx := &hcl.EvalContext{
		Functions: s.functions(b.Dir),
		Variables: map[string]cty.Value{"var": cty.ObjectVal(map[string]cty.Value{b.Labels[0]: v})},
	}
	for _, inner := range b.Body.Blocks {
		if inner.Type != "validation" {
			continue
		}
		condition, ok := inner.Body.Attributes["condition"]
		message, ok2 := inner.Body.Attributes["error_message"]
		if !ok || !ok2 {
			diags = append(diags, problem(inner.DefRange(), "Incomplete validation", "A validation needs condition and error_message."))
			continue
		}
		holds, more := condition.Expr.Value(ctx)
		diags = append(diags, more...)
		holds, _ = holds.Unmark()
		if more.HasErrors() {
			continue
		}
		if holds.Type() != cty.Bool || holds.IsNull() || !holds.IsKnown() {
			diags = append(diags, problem(condition.Expr.Range(), "Invalid condition", "The condition of a validation is true or false."))
			continue
		}
		if holds.False() {
			diags = append(diags, problem(b.DefRange(), "Invalid value for variable", s.message(message, ctx)+fmt.Sprintf("\n\nThis is what the validation at %s asks for.", condition.SrcRange)))
		}
	}
	return diags
}

// message is the text of error_message, without what is sensitive.
func (s *scope) message(attr *hclsyntax.Attribute, ctx *hcl.EvalContext) string {
	v, diags := attr.Expr.Value(ctx)
	plain, _, secret := unmark(v)
	if diags.HasErrors() || secret || plain.IsNull() || !plain.IsKnown() || plain.Type() != cty.String {
		return "The value is not valid; the error message cannot be shown."
	}
	return plain.AsString()
}
