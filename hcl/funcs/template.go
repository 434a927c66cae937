package funcs

import (
	"errors"
	"maps"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"

	"github.com/pdprov/pdprov/hcl/config"
)

// templateFileFunc fills a template in; the second argument holds its names. A
// template may call every function but templatefile, so that it cannot go on for ever.
func templateFileFunc(dir string, table map[string]function.Function) function.Function {
	inside := maps.Clone(table)
	inside["templatefile"] = refuse("a template cannot call templatefile")
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "path", Type: cty.String}, {Name: "vars", Type: cty.DynamicPseudoType}},
		Type: func(args []cty.Value) (cty.Type, error) {
			if !args[0].IsKnown() || !args[1].IsKnown() {
				return cty.DynamicPseudoType, nil
			}
			v, err := render(dir, args[0].AsString(), args[1], inside)
			if err != nil {
				return cty.NilType, err
			}
			return v.Type(), nil
		},
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			return render(dir, args[0].AsString(), args[1], inside)
		},
	})
}

func render(dir, path string, names cty.Value, table map[string]function.Function) (cty.Value, error) {
	t := names.Type()
	if !t.IsObjectType() && !t.IsMapType() || !names.IsKnown() {
		return cty.NilVal, function.NewArgErrorf(1, "the names of a template are an object: { name = value }")
	}
	data, err := read(dir, path)
	if err != nil {
		return cty.NilVal, function.NewArgError(0, err)
	}
	text, err := readable(data)
	if err != nil {
		return cty.NilVal, function.NewArgError(0, err)
	}
	if diags := config.TemplateBounds([]byte(text), path); diags.HasErrors() {
		return cty.NilVal, inTemplate(diags)
	}
	expr, diags := hclsyntax.ParseTemplate([]byte(text), path, hcl.InitialPos)
	if diags.HasErrors() {
		return cty.NilVal, inTemplate(diags)
	}
	ctx := &hcl.EvalContext{Variables: map[string]cty.Value{}, Functions: table}
	maps.Copy(ctx.Variables, names.AsValueMap())
	v, diags := expr.Value(ctx)
	if diags.HasErrors() {
		return cty.NilVal, inTemplate(diags)
	}
	return v, nil
}

// inTemplate is an error of a template, whose own place is in its words.
func inTemplate(diags hcl.Diagnostics) error {
	return function.NewArgError(0, errors.New(strings.TrimSuffix(diags.Error(), ".")))
}

// refuse makes a function that cannot be called.
func refuse(why string) function.Function {
	return function.New(&function.Spec{
		VarParam: &function.Parameter{Name: "any", Type: cty.DynamicPseudoType, AllowNull: true, AllowDynamicType: true},
		Type:     func([]cty.Value) (cty.Type, error) { return cty.NilType, errors.New(why) },
		Impl:     func([]cty.Value, cty.Type) (cty.Value, error) { return cty.NilVal, errors.New(why) },
	})
}
