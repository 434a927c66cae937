package eval

import (
	"fmt"

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

// eval evaluates an attribute. The value keeps its marks. ok is false when there is
// nothing to go on with.
func (in *instance) eval(attr *hclsyntax.Attribute) (v cty.Value, ok bool) {
	v, diags := in.s.value(attr.Expr, in.block.Dir, in.each)
	in.diags = append(in.diags, diags...)
	return v, !diags.HasErrors() && v.IsWhollyKnown()
}

// note notes the stages that went into an attribute.
func (in *instance) note(stages []string) {
	for _, addr := range stages {
		in.refs[addr] = true
	}
}

// general reads hosts, depends_on and ignore.
func (in *instance) general() {
	in.hosts()
	if attr, ok := in.block.Body.Attributes["depends_on"]; ok {
		in.dependsOn(attr)
	}
	if attr, ok := in.block.Body.Attributes["ignore"]; ok {
		in.ignore(attr)
	}
}

func (in *instance) ignore(attr *hclsyntax.Attribute) {
	in.ranges(attr)
	v, ok := in.eval(attr)
	if !ok {
		return
	}
	v, stages, secret := unmark(v)
	in.note(stages)
	list, err := convert.Convert(v, cty.List(cty.String))
	if err != nil || secret || list.IsNull() || hasNull(list) {
		in.fail(attr.Expr.Range(), "Invalid value", "ignore is a list of surface paths.")
		return
	}
	in.st.Ignore = texts(list)
}

// attribute reads one attribute of the kind.
func (in *instance) attribute(a stage.Attr) {
	attr, ok := in.block.Body.Attributes[a.Name]
	if !ok {
		in.absent(a)
		return
	}
	in.ranges(attr)
	in.seen[a.Name] = cty.DynamicVal
	v, ok := in.eval(attr)
	if !ok {
		return
	}
	_, stages, secret := unmark(v)
	if a.Type == stage.Ref || a.Type == stage.RefList {
		stages, secret = choice(v)
	}
	in.note(stages)
	if v.IsNull() {
		in.absent(a)
		return
	}
	if secret && !a.Secrets {
		in.fail(attr.Expr.Range(), "Sensitive value", "A sensitive value went into %s, which is shown and kept, and which other users of the host may see.", a.Name)
		return
	}
	value, shown, w := in.decode(a, v)
	if w.text != "" && secret && a.Type == stage.LocalFile {
		w.text = "no file can be read there; the path is sensitive and not shown."
	}
	if w.text != "" {
		in.fail(in.st.RangeOf(a.Name+w.at), "Invalid value", "%s: %s", a.Name, w.text)
		return
	}
	if secret {
		in.st.Config.Secret[a.Name] = true
		in.st.Config.SecretKeys[a.Name] = v.HasMark(secretMark{}) // of a key, or of the whole
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
