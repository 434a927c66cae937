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
	deps, diags := in.s.dependsOn(attr)
	in.diags = append(in.diags, diags...)
	in.st.DependsOn = deps
}

func (s *scope) dependsOn(attr *hclsyntax.Attribute) ([]string, hcl.Diagnostics) {
	list, diags := hcl.ExprList(attr.Expr)
	if diags.HasErrors() {
		return nil, hcl.Diagnostics{problem(attr.Expr.Range(), "Invalid depends_on", "depends_on is a list of stages and modules: [stage.KIND.NAME, module.NAME].")}
	}
	deps := map[string]bool{}
	for _, expr := range list {
		t, more := hcl.AbsTraversalForExpr(expr)
		if more.HasErrors() || t.RootName() != "stage" && t.RootName() != "module" {
			diags = append(diags, problem(expr.Range(), "Invalid depends_on", `depends_on takes stages and modules: stage.KIND.NAME, stage.KIND.NAME["KEY"] or module.NAME.`))
			continue
		}
		n, more := s.find(t)
		if n != nil && !more.HasErrors() {
			_, more = s.resolve(n, t.SourceRange().Ptr())
		}
		if n != nil && !n.failed && !more.HasErrors() {
			more = append(more, s.below(t, deps)...)
		}
		diags = append(diags, more...)
	}
	return sorted(deps), diags
}

// below adds the stages that a reference means: one, all of a for_each, or a module's.
func (s *scope) below(t hcl.Traversal, deps map[string]bool) hcl.Diagnostics {
	name, _ := label(t)
	addr, whole := s.prefix+name, 3
	if t.RootName() == "module" {
		addr, whole = s.prefix+"module."+name, 2
	}
	if len(t) > whole {
		key, ok := step(t, whole)
		addr = fmt.Sprintf("%s[%q]", addr, key)
		if _, exists := s.e.d.Stage(addr); !ok || !exists || len(t) > whole+1 {
			return hcl.Diagnostics{problem(t.SourceRange(), "Invalid depends_on", fmt.Sprintf("depends_on takes whole stages and modules, and there is none of this name. Did you mean %s.%s?", t.RootName(), name))}
		}
	}
	list := s.e.d.Below(addr)
	if len(list) == 0 {
		list = s.e.empty[addr]
	}
	for _, dep := range list {
		deps[dep] = true
	}
	return nil
}

// hollow notes what a module without stages comes after: who comes after it comes after
// that.
func (e *evaluation) hollow(addr string, after []string) {
	if len(e.d.Below(addr)) > 0 {
		return
	}
	for inner, deps := range e.empty {
		if strings.HasPrefix(inner, addr+".") {
			after = union(after, deps)
		}
	}
	e.empty[addr] = after
}
