package eval

import (
	"maps"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// uses finds the stages that an expression names and whose marks its value does not carry:
// a length, a list of keys, or whether something can be evaluated says nothing of them.
type uses struct {
	ctx   *hcl.EvalContext
	whole map[hclsyntax.Node]bool // evaluated as a part of what holds them
	marks cty.ValueMarks
}

// keepUses marks a value with the stages that its expression names.
func keepUses(v cty.Value, expr hclsyntax.Expression, ctx *hcl.EvalContext) cty.Value {
	u := &uses{ctx, map[hclsyntax.Node]bool{}, cty.ValueMarks{}}
	_ = hclsyntax.Walk(expr, u)
	_, kept := v.UnmarkDeep()
	maps.DeleteFunc(u.marks, func(m any, _ struct{}) bool {
		_, stage := m.(stageMark)
		_, known := kept[m]
		return !stage || known
	})
	return v.WithMarks(u.marks)
}

// Enter looks at one part of the expression. stage.file.all[each.key] names one instance,
// not all of them.
func (u *uses) Enter(n hclsyntax.Node) hcl.Diagnostics {
	switch n := n.(type) {
	case *hclsyntax.IndexExpr:
		if v, diags := n.Value(u.ctx); !diags.HasErrors() {
			u.whole[n.Collection] = true
			u.add(v)
		}
	case *hclsyntax.ScopeTraversalExpr:
		if u.whole[n] {
			break
		}
		t := n.Traversal
		v, diags := t.TraverseAbs(u.ctx)
		for end := len(t) - 1; diags.HasErrors() && end > 1; end-- { // as in can(stage.file.x.nothing)
			v, diags = t[:end].TraverseAbs(u.ctx)
		}
		if !diags.HasErrors() {
			u.add(v)
		}
	}
	return nil
}

// Exit does nothing.
func (u *uses) Exit(hclsyntax.Node) hcl.Diagnostics { return nil }

func (u *uses) add(v cty.Value) {
	_, marks := v.UnmarkDeep()
	maps.Copy(u.marks, marks)
}
