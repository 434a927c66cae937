package funcs

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"
)

// text makes a function from one text to another.
func text(do func(string) (string, error)) function.Function { return textNamed("str", do) }

// textNamed is text with a name for the parameter, which messages print.
func textNamed(param string, do func(string) (string, error)) function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: param, Type: cty.String}},
		Type:   function.StaticReturnType(cty.String),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			s, err := do(args[0].AsString())
			if err != nil {
				return cty.NilVal, function.NewArgError(0, err)
			}
			return cty.StringVal(s), nil
		},
	})
}

// test makes a function from two texts to true or false.
func test(do func(a, b string) bool) function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "str", Type: cty.String}, {Name: "part", Type: cty.String}},
		Type:   function.StaticReturnType(cty.Bool),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			return cty.BoolVal(do(args[0].AsString(), args[1].AsString())), nil
		},
	})
}

var (
	basenameFunc     = text(func(s string) (string, error) { return filepath.Base(s), nil })
	dirnameFunc      = text(func(s string) (string, error) { return filepath.Dir(s), nil })
	startsWithFunc   = test(strings.HasPrefix)
	endsWithFunc     = test(strings.HasSuffix)
	base64EncodeFunc = text(func(s string) (string, error) { return base64.StdEncoding.EncodeToString([]byte(s)), nil })
	base64DecodeFunc = text(func(s string) (string, error) {
		b, err := base64.StdEncoding.DecodeString(s)
		if err != nil || !utf8.Valid(b) {
			return "", fmt.Errorf("this is not base64 of a UTF-8 text")
		}
		return string(b), nil
	})
	sha256Func = text(func(s string) (string, error) {
		sum := sha256.Sum256([]byte(s))
		return hex.EncodeToString(sum[:]), nil
	})
)

// coalesceFunc is the first argument that is neither null nor an empty text, as Terraform
// has it.
var coalesceFunc = function.New(&function.Spec{
	VarParam: &function.Parameter{Name: "vals", Type: cty.DynamicPseudoType, AllowUnknown: true, AllowDynamicType: true, AllowNull: true},
	Type: func(args []cty.Value) (cty.Type, error) {
		types := make([]cty.Type, len(args))
		for i, v := range args {
			types[i] = v.Type()
		}
		t, _ := convert.UnifyUnsafe(types)
		if t == cty.NilType || len(args) == 0 {
			return cty.NilType, errors.New("the arguments must be of one type")
		}
		return t, nil
	},
	Impl: func(args []cty.Value, t cty.Type) (cty.Value, error) {
		for _, v := range args {
			v, err := convert.Convert(v, t)
			if err != nil {
				return cty.NilVal, err
			}
			if !v.IsKnown() {
				return cty.UnknownVal(t), nil
			}
			if !v.IsNull() && (t != cty.String || v.AsString() != "") {
				return v, nil
			}
		}
		return cty.NilVal, errors.New("no argument is other than null and the empty text")
	},
})

// lengthFunc counts the characters of a text, or the elements of a collection.
var lengthFunc = function.New(&function.Spec{
	Params: []function.Parameter{{Name: "value", Type: cty.DynamicPseudoType, AllowDynamicType: true, AllowUnknown: true, AllowMarked: true}},
	Type:   function.StaticReturnType(cty.Number),
	Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
		v, marks := args[0].Unmark()
		switch {
		case !v.IsKnown():
			return cty.UnknownVal(cty.Number).WithMarks(marks), nil
		case v.Type() == cty.String:
			n, err := stdlib.Strlen(v)
			return n.WithMarks(marks), err
		case v.CanIterateElements():
			return cty.NumberIntVal(int64(v.LengthInt())).WithMarks(marks), nil
		}
		return cty.NilVal, function.NewArgErrorf(0, "a text, list, set, map or object is needed")
	},
})

// conversions are the functions to... of Terraform.
func conversions() map[string]function.Function {
	types := map[string]cty.Type{
		"tostring": cty.String, "tonumber": cty.Number, "tobool": cty.Bool,
		"tolist": cty.List(cty.DynamicPseudoType), "toset": cty.Set(cty.DynamicPseudoType), "tomap": cty.Map(cty.DynamicPseudoType),
	}
	table := map[string]function.Function{}
	for name, want := range types {
		table[name] = function.New(&function.Spec{
			Params: []function.Parameter{{Name: "value", Type: cty.DynamicPseudoType, AllowNull: true, AllowDynamicType: true}},
			Type: func(args []cty.Value) (cty.Type, error) {
				v, err := convert.Convert(args[0], want)
				if err != nil {
					return cty.NilType, function.NewArgErrorf(0, "cannot become %s: %s", want.FriendlyNameForConstraint(), err)
				}
				return v.Type(), nil
			},
			Impl: func(args []cty.Value, t cty.Type) (cty.Value, error) { return convert.Convert(args[0], t) },
		})
	}
	return table
}
