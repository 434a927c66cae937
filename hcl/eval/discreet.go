package eval

import (
	"fmt"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// secret marks a value as sensitive, and notes its texts for discreet.
func (e *evaluation) secret(v cty.Value) cty.Value {
	e.sensitive = true
	e.secrets = append(e.secrets, secretTexts(v)...)
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
		d.Summary, d.Detail = hide(d.Summary, e.secrets), hide(d.Detail, e.secrets)
	}
	for _, rng := range e.written {
		if f := e.d.Sources[rng.Filename]; f != nil {
			blot(f.Bytes[rng.Start.Byte:rng.End.Byte])
		}
	}
	return diags
}

// blot makes a text unreadable and leaves every byte after it where it is.
func blot(text []byte) {
	for i, c := range text {
		if c != '\n' && c != '\r' {
			text[i] = '*'
		}
	}
}

// spelledOut notes a sensitive value that a plan file holds itself.
func (e *evaluation) spelledOut(expr hclsyntax.Expression) {
	if len(expr.Variables()) == 0 {
		e.written = append(e.written, expr.Range())
	}
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
