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
			in.below(n, t, deps)
		}
	}
	in.st.DependsOn = sorted(deps)
}

// below adds the stages that a reference means: one, all of a for_each, or a module's.
func (in *instance) below(n *node, t hcl.Traversal, deps map[string]bool) {
	length, addr, all := 2, "", n.name+"."
	if t.RootName() == "stage" {
		length, addr = 3, in.s.prefix+strings.TrimPrefix(strings.TrimPrefix(n.name, in.s.prefix), "stage.")
		all = addr + "["
	}
	if len(t) > length {
		key, ok := step(t, length)
		addr, all = fmt.Sprintf("%s[%q]", addr, key), "\x00"
		if _, exists := in.s.e.d.Stage(addr); !ok || !exists || len(t) > length+1 {
			in.fail(t.SourceRange(), "Invalid depends_on", "depends_on takes whole stages and modules. There is no stage %s.", addr)
			return
		}
	}
	for _, st := range in.s.e.d.Stages {
		if st.Addr == addr || strings.HasPrefix(st.Addr, all) {
			deps[st.Addr] = true
		}
	}
}
