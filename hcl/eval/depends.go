package eval

import (
	"fmt"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// dependsOn reads a list of stages and modules.
func (in *instance) dependsOn(attr *hclsyntax.Attribute) {
	in.ranges(attr)
	list, diags := hcl.ExprList(attr.Expr)
	if diags.HasErrors() {
		in.fail(attr.Expr.Range(), "Invalid depends_on", "depends_on is a list of stages and modules: [stage.KIND.NAME, module.NAME].")
		return
	}
	deps := map[string]bool{}
	for _, expr := range list {
		t, diags := hcl.AbsTraversalForExpr(expr)
		if diags.HasErrors() || t.RootName() != "stage" && t.RootName() != "module" {
			in.fail(expr.Range(), "Invalid depends_on", `depends_on takes stages and modules: stage.KIND.NAME, stage.KIND.NAME["KEY"] or module.NAME.`)
			continue
		}
		n, diags := in.s.find(t)
		if n != nil && !diags.HasErrors() {
			_, diags = in.s.resolve(n, t.SourceRange().Ptr())
		}
		in.diags = append(in.diags, diags...)
		if n != nil && !n.failed && !diags.HasErrors() {
			in.below(t, deps)
		}
	}
	in.st.DependsOn = sorted(deps)
}

// below adds the stages that a reference means: one, all of a for_each, or a module's.
func (in *instance) below(t hcl.Traversal, deps map[string]bool) {
	name, _ := label(t)
	one, all, whole := in.s.prefix+name, in.s.prefix+name+"[", 3
	if t.RootName() == "module" {
		one, all, whole = "", in.s.prefix+"module."+name+".", 2
	}
	if len(t) > whole {
		key, ok := step(t, whole)
		one, all = fmt.Sprintf("%s[%q]", one, key), ""
		if _, exists := in.s.e.d.Stage(one); !ok || !exists || len(t) > whole+1 {
			in.fail(t.SourceRange(), "Invalid depends_on", "depends_on takes whole stages and modules, and there is none of this name. Did you mean %s.%s?", t.RootName(), name)
			return
		}
	}
	for _, st := range in.s.e.d.Stages {
		if st.Addr == one || all != "" && strings.HasPrefix(st.Addr, all) {
			deps[st.Addr] = true
		}
	}
}
