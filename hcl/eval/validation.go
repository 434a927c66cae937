package eval

import (
	"fmt"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/pdprov/pdprov/hcl/config"
)

// valid checks the validation blocks of a variable.
func (s *scope) valid(b config.Block, v cty.Value, rng hcl.Range) (diags hcl.Diagnostics) {
	ctx := &hcl.EvalContext{
		Functions: s.functions(b.Dir),
		Variables: map[string]cty.Value{"var": cty.ObjectVal(map[string]cty.Value{b.Labels[0]: v})},
	}
	for _, inner := range b.Body.Blocks {
		if inner.Type == "validation" {
			diags = append(diags, s.validation(b, inner, ctx, rng)...)
		}
	}
	return diags
}

// validation checks one validation block for the value at rng.
func (s *scope) validation(b config.Block, inner *hclsyntax.Block, ctx *hcl.EvalContext, rng hcl.Range) hcl.Diagnostics {
	condition, ok := inner.Body.Attributes["condition"]
	message, ok2 := inner.Body.Attributes["error_message"]
	diags := only(config.Block{Block: inner, Dir: b.Dir}, "condition", "error_message")
	if !ok || !ok2 {
		return append(diags, problem(inner.DefRange(), "Incomplete validation", "A validation needs condition and error_message."))
	}
	diags = append(diags, ownOnly(b.Labels[0], condition.Expr, message.Expr)...)
	if diags.HasErrors() {
		return diags
	}
	holds, more := condition.Expr.Value(ctx)
	diags = append(diags, discreetly(more, condition.Expr, ctx)...)
	holds, _ = holds.Unmark()
	switch {
	case more.HasErrors():
	case holds.Type() != cty.Bool || holds.IsNull() || !holds.IsKnown():
		diags = append(diags, problem(condition.Expr.Range(), "Invalid condition", "The condition of a validation is true or false."))
	case holds.False():
		diags = append(diags, problem(rng, "Invalid value for variable", fmt.Sprintf("%s\n\nThis is what the validation of variable %q at %s asks for.", s.message(message, ctx), b.Labels[0], condition.SrcRange)))
	}
	return diags
}

// ownOnly refuses references to anything but the variable itself.
func ownOnly(name string, exprs ...hclsyntax.Expression) (diags hcl.Diagnostics) {
	for _, expr := range exprs {
		for _, t := range expr.Variables() {
			if own, ok := step(t, 1); t.RootName() != "var" || !ok || own != name {
				diags = append(diags, problem(t.SourceRange(), "Invalid reference", fmt.Sprintf("A validation looks at its own variable only, var.%s.", name)))
			}
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
