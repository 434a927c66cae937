package eval

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/pdprov/pdprov/hcl/config"
	"github.com/pdprov/pdprov/stages/stage"
)

// secret marks a value as sensitive, and notes its texts for discreet.
func (e *evaluation) secret(v cty.Value) cty.Value {
	e.sensitive = true
	e.d.Secrets = append(e.d.Secrets, secretTexts(v)...)
	return v.Mark(secretMark{})
}

// discreet takes out of diagnostics what would print values, where some are sensitive.
// The error of a function or of a kind may hold a text that it was given, and a line of
// a plan file may spell one out.
func (e *evaluation) discreet(diags hcl.Diagnostics) hcl.Diagnostics {
	if !e.sensitive {
		return diags
	}
	for _, d := range diags {
		d.Expression, d.EvalContext = nil, nil
		d.Summary, d.Detail = stage.Conceal(d.Summary, e.d.Secrets), stage.Conceal(d.Detail, e.d.Secrets)
	}
	for _, rng := range e.written {
		if f := e.d.Sources[rng.Filename]; f != nil {
			config.Blot(f.Bytes[rng.Start.Byte:rng.End.Byte])
		}
	}
	for _, f := range e.d.Sources {
		for _, text := range e.d.Secrets {
			config.BlotAll(f.Bytes, text)
		}
	}
	return diags
}

// concealed notes what the block of a sensitive variable spells out.
func (e *evaluation) concealed(b config.Block) {
	e.sensitive = true
	for _, attr := range b.Body.Attributes {
		if !slices.Contains([]string{"type", "description"}, attr.Name) && !seemsSensitive(attr.Name) {
			e.written = append(e.written, config.Literals(attr.Expr)...)
		}
	}
	for _, inner := range b.Body.Blocks {
		if inner.Type != "validation" {
			e.written = append(e.written, hcl.RangeBetween(inner.OpenBraceRange, inner.CloseBraceRange))
		}
	}
}

// seemsSensitive says whether a name is "sensitive", or was meant to be.
func seemsSensitive(name string) bool { return strings.HasPrefix(strings.ToLower(name), "sens") }

// meantSensitive says whether a variable block seems to ask for discretion, also where
// it does so wrongly.
func meantSensitive(b config.Block) bool {
	for _, attr := range b.Body.Attributes {
		if v, _ := attr.Expr.Value(nil); seemsSensitive(attr.Name) && !v.RawEquals(cty.False) {
			return true
		}
	}
	return false
}

// discreetly rewrites what the evaluation of an expression said, where something
// sensitive went into it: an error may print what was made of it, which hide would not
// know.
func discreetly(diags hcl.Diagnostics, expr hclsyntax.Expression, ctx *hcl.EvalContext) hcl.Diagnostics {
	for _, d := range diags {
		call, ok := hcl.DiagnosticExtra[hclsyntax.FunctionCallDiagExtra](d)
		failed := ok && call.FunctionCallError() != nil
		if (failed || d.Summary == "Duplicate object key") && readsSecret(expr, ctx) {
			d.Detail = "Why it failed is not shown, because something sensitive went into the expression."
			if failed {
				d.Detail = fmt.Sprintf("The function %q failed. %s", call.CalledFunctionName(), d.Detail)
			}
		}
	}
	return diags
}

func readsSecret(expr hclsyntax.Expression, ctx *hcl.EvalContext) bool {
	for _, t := range expr.Variables() {
		v, diags := t[:min(2, len(t))].TraverseAbs(ctx)
		if diags.HasErrors() {
			continue
		}
		if _, _, secret := unmark(v); secret {
			return true
		}
	}
	return false
}
