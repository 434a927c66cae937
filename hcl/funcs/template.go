package funcs

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
)

// templateFileFunc fills a template in; the second argument holds its names. A
// template may call every function but templatefile, so that it cannot go on for ever.
func templateFileFunc(dir string, table map[string]function.Function) function.Function {
	render := func(args []cty.Value) (cty.Value, error) {
		data, err := read(dir, args[0].AsString())
		if err != nil {
			return cty.NilVal, function.NewArgError(0, err)
		}
		if _, err := readable(data); err != nil {
			return cty.NilVal, function.NewArgError(0, err)
		}
		expr, diags := hclsyntax.ParseTemplate(data, args[0].AsString(), hcl.InitialPos)
		if diags.HasErrors() {
			return cty.NilVal, function.NewArgErrorf(0, "%s", diags.Error())
		}
		if t := args[1].Type(); !t.IsObjectType() && !t.IsMapType() || !args[1].IsKnown() {
			return cty.NilVal, function.NewArgErrorf(1, "the names of a template are an object: { name = value }")
		}
		inside := map[string]function.Function{}
		for name, f := range table {
			if name != "templatefile" {
				inside[name] = f
			}
		}
		v, diags := expr.Value(&hcl.EvalContext{Variables: args[1].AsValueMap(), Functions: inside})
		if diags.HasErrors() {
			return cty.NilVal, function.NewArgErrorf(0, "%s", diags.Error())
		}
		return v, nil
	}
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "path", Type: cty.String}, {Name: "vars", Type: cty.DynamicPseudoType}},
		Type: func(args []cty.Value) (cty.Type, error) {
			if !args[0].IsKnown() || !args[1].IsKnown() {
				return cty.DynamicPseudoType, nil
			}
			v, err := render(args)
			if err != nil {
				return cty.NilType, err
			}
			return v.Type(), nil
		},
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) { return render(args) },
	})
}
