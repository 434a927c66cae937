package eval

import (
	"fmt"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"github.com/pdprov/pdprov/hcl/config"
	"github.com/pdprov/pdprov/hcl/model"
	"github.com/pdprov/pdprov/stages/stage"
)

// instance is one stage on its way into the deployment.
type instance struct {
	s     *scope
	st    *model.Stage
	block config.Block
	each  map[string]cty.Value
	refs  map[string]bool
	seen  map[string]cty.Value // what expressions see of the stage
	diags hcl.Diagnostics
}

func (in *instance) fail(r hcl.Range, summary, format string, args ...any) {
	in.diags = append(in.diags, problem(r, summary, fmt.Sprintf(format, args...)))
}

// eval evaluates an attribute and notes the stages that went into it. ok is false
// when there is nothing to go on with.
func (in *instance) eval(attr *hclsyntax.Attribute) (v cty.Value, secret, ok bool) {
	v, diags := in.s.value(attr.Expr, in.block.Dir, in.each)
	in.diags = append(in.diags, diags...)
	if diags.HasErrors() {
		return v, false, false
	}
	plain, stages, secret := unmark(v)
	for _, addr := range stages {
		in.refs[addr] = true
	}
	return plain, secret, plain.IsWhollyKnown()
}

// general reads hosts, depends_on and ignore.
func (in *instance) general() {
	in.hosts()
	if attr, ok := in.block.Body.Attributes["depends_on"]; ok {
		in.dependsOn(attr)
	}
	if attr, ok := in.block.Body.Attributes["ignore"]; ok {
		in.ranges(attr)
		if v, secret, ok := in.eval(attr); ok {
			list, err := convert.Convert(v, cty.List(cty.String))
			if err != nil || secret || list.IsNull() {
				in.fail(attr.Expr.Range(), "Invalid value", "ignore is a list of surface paths.")
				return
			}
			in.st.Ignore = texts(list)
		}
	}
}

func (in *instance) hosts() {
	attr, ok := in.block.Body.Attributes["hosts"]
	if !ok {
		in.st.Hosts = in.s.standardHosts()
		return
	}
	in.ranges(attr)
	v, _, ok := in.eval(attr)
	if !ok {
		return
	}
	names, err := hostNames(v)
	if err != "" {
		in.fail(attr.Expr.Range(), "Invalid hosts", "%s", err)
		return
	}
	chosen := map[string]bool{}
	for _, n := range names {
		chosen[n] = true
	}
	for _, b := range in.s.hosts.files.Hosts { // in order of declaration
		if chosen[b.Labels[0]] {
			in.st.Hosts = append(in.st.Hosts, b.Labels[0])
		}
	}
}

// standardHosts are the hosts of a stage that names none.
func (s *scope) standardHosts() (names []string) {
	if s.defaultHosts != nil {
		return s.defaultHosts
	}
	for _, b := range s.hosts.files.Hosts {
		names = append(names, b.Labels[0])
	}
	return names
}

// hostNames reads a list of host references.
func hostNames(v cty.Value) (names []string, problem string) {
	const want = "hosts is a list of hosts: hosts = [host.NAME]."
	if v.IsNull() || !v.CanIterateElements() || v.Type().IsObjectType() && v.Type().HasAttribute("address") {
		return nil, want
	}
	for it := v.ElementIterator(); it.Next(); {
		_, h := it.Element()
		if h.IsNull() || !h.Type().IsObjectType() || !h.Type().HasAttribute("address") || !h.Type().HasAttribute("name") {
			return nil, want
		}
		names = append(names, h.GetAttr("name").AsString())
	}
	return names, ""
}

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
			in.fail(expr.Range(), "Invalid depends_on", "depends_on takes stages and modules: stage.KIND.NAME or module.NAME.")
			continue
		}
		_, diags = in.s.context(expr.(hclsyntax.Expression), in.block.Dir, in.each)
		in.diags = append(in.diags, diags...)
		if !diags.HasErrors() {
			in.below(t, deps)
		}
	}
	in.st.DependsOn = sorted(deps)
}

// below adds the stages that a reference means: one, all of a for_each, or a module's.
func (in *instance) below(t hcl.Traversal, deps map[string]bool) {
	first, _ := step(t, 1)
	prefix := in.s.prefix + "module." + first + "."
	exact := ""
	if t.RootName() == "stage" {
		second, _ := step(t, 2)
		exact = in.s.prefix + first + "." + second
		prefix = exact + "["
		if key, ok := step(t, 3); ok {
			exact, prefix = fmt.Sprintf("%s[%q]", exact, key), "\x00"
		}
	}
	for _, st := range in.s.e.d.Stages {
		if st.Addr == exact || strings.HasPrefix(st.Addr, prefix) {
			deps[st.Addr] = true
		}
	}
}

// attribute reads one attribute of the kind.
func (in *instance) attribute(a stage.Attr) {
	attr, ok := in.block.Body.Attributes[a.Name]
	if !ok {
		in.absent(a)
		return
	}
	in.ranges(attr)
	v, secret, ok := in.eval(attr)
	if !ok {
		in.seen[a.Name] = cty.DynamicVal
		return
	}
	if v.IsNull() {
		in.absent(a)
		return
	}
	if secret && !a.Secrets {
		in.fail(attr.Expr.Range(), "Sensitive value", "A sensitive value went into %s, which is shown and kept, and which other users of the host may see.", a.Name)
		return
	}
	value, shown, err := in.decode(a, v, attr)
	if err != "" {
		in.fail(attr.Expr.Range(), "Invalid value", "%s: %s", a.Name, err)
		return
	}
	if secret {
		in.st.Config.Secret[a.Name] = true
		shown = shown.Mark(secretMark{})
	}
	in.st.Config.Values[a.Name] = value
	in.seen[a.Name] = shown
}

// absent takes the default of an attribute that the block does not set.
func (in *instance) absent(a stage.Attr) {
	switch {
	case a.Required:
		in.fail(in.block.DefRange(), "Missing attribute", "A stage of kind %q needs %s. %s", in.st.Kind, a.Name, a.Doc)
	case a.Default != nil:
		in.st.Config.Values[a.Name] = a.Default
		in.seen[a.Name] = shownDefault(a.Default)
	default:
		in.seen[a.Name] = cty.NullVal(cty.DynamicPseudoType)
	}
}

// ranges notes the places of an attribute and of the elements written out in it.
func (in *instance) ranges(attr *hclsyntax.Attribute) {
	in.st.Ranges[attr.Name] = attr.Expr.Range()
	if list, diags := hcl.ExprList(attr.Expr); !diags.HasErrors() {
		for i, e := range list {
			in.st.Ranges[fmt.Sprintf("%s[%d]", attr.Name, i)] = e.Range()
		}
		return
	}
	if pairs, diags := hcl.ExprMap(attr.Expr); !diags.HasErrors() {
		for _, p := range pairs {
			if k, diags := p.Key.Value(nil); !diags.HasErrors() && k.Type() == cty.String && k.IsKnown() && !k.IsNull() {
				in.st.Ranges[fmt.Sprintf("%s[%q]", attr.Name, k.AsString())] = p.Value.Range()
			}
		}
	}
}
