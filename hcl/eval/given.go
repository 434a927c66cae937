package eval

import (
	"fmt"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/ext/typeexpr"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/pdprov/pdprov/hcl/config"
)

// given is a value for a variable from outside of its block.
type given struct {
	value cty.Value
	from  string               // who gave it: "--var n", the name of a file; "" a module block
	expr  hclsyntax.Expression // in a module block, else nil
}

// envPrefix begins the names of environment variables that give values.
const envPrefix = "PDPROV_VAR_"

// given collects the values of the plan's variables: the environment first, then files
// in their order, then --var; the later wins.
func (e *evaluation) given(m *config.Module) (map[string]given, hcl.Diagnostics) {
	declared := map[string]config.Block{}
	var names []string
	for _, b := range m.Variables {
		declared[b.Labels[0]] = b
		names = append(names, b.Labels[0])
	}
	values := map[string]given{}
	diags := e.environ(declared, values)
	for _, file := range e.o.VarFiles {
		diags = append(diags, e.varFile(file, declared, names, values)...)
	}
	e.lenient = diags.HasErrors() // what a file would have given is not said to be missing
	return values, append(diags, e.vars(declared, names, values)...)
}

// environ reads the environment. What the plan does not declare may be for another plan.
func (e *evaluation) environ(declared map[string]config.Block, values map[string]given) (diags hcl.Diagnostics) {
	for _, pair := range e.o.Environ {
		name, text, _ := strings.Cut(pair, "=")
		name, ok := strings.CutPrefix(name, envPrefix)
		if b, known := declared[name]; ok && known {
			v, more := fromText(b, text, envPrefix+name)
			values[name] = v
			diags = append(diags, more...)
		}
	}
	return diags
}

func (e *evaluation) vars(declared map[string]config.Block, names []string, values map[string]given) (diags hcl.Diagnostics) {
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
	return diags
}

func unplaced(summary, detail string) *hcl.Diagnostic {
	return &hcl.Diagnostic{Severity: hcl.DiagError, Summary: summary, Detail: detail}
}

// fromText reads a value given as text: as it stands for a variable without a type or
// of type string, else as an expression.
func fromText(b config.Block, text, source string) (given, hcl.Diagnostics) {
	plain := given{value: cty.StringVal(text), from: source}
	attr, typed := b.Body.Attributes["type"]
	if !typed {
		return plain, nil
	}
	t, _, diags := typeexpr.TypeConstraintWithDefaults(attr.Expr)
	if diags.HasErrors() || t == cty.String {
		return plain, nil // a wrong type is said where the variable is evaluated
	}
	if v, ok := literal(text); ok {
		return given{value: v, from: source}, nil
	}
	failed := given{value: cty.DynamicVal, from: source}
	return failed, hcl.Diagnostics{problem(b.DefRange(), "Invalid value", fmt.Sprintf(
		"%s: variable %q has type %s, and the text given is not a value of it as plan files write one: 5, true, [\"a\", \"b\"], { a = \"b\" }. Mind that the shell takes quotes away.",
		source, b.Labels[0], typeexpr.TypeString(t)))}
}

// literal reads a value as plan files write one, without references.
func literal(text string) (cty.Value, bool) {
	if config.Bounds([]byte(text), "").HasErrors() {
		return cty.DynamicVal, false
	}
	expr, diags := hclsyntax.ParseExpression([]byte(text), "", hcl.InitialPos)
	if diags.HasErrors() {
		return cty.DynamicVal, false
	}
	v, diags := expr.Value(nil)
	return v, !diags.HasErrors()
}

// by says who gave a value, where its place does not show it.
func (g given) by() string {
	if g.from == "" {
		return ""
	}
	return " (given by " + g.from + ")"
}
