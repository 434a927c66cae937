package eval

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"github.com/pdprov/pdprov/hcl/config"
	"github.com/pdprov/pdprov/stages/stage"
)

var ctyTypes = map[stage.Type]cty.Type{
	stage.String: cty.String, stage.Bool: cty.Bool, stage.Number: cty.Number, stage.LocalFile: cty.String,
	stage.StringList: cty.List(cty.String), stage.StringMap: cty.Map(cty.String),
}

// wrong says why a value cannot be an attribute's; at is the place inside of the value,
// "[0]" or `["jq"]`. Without text nothing is wrong.
type wrong struct{ at, text string }

// decode turns a value into the Go value that Config holds, and into what expressions
// see of it.
func (in *instance) decode(a stage.Attr, v cty.Value) (value any, shown cty.Value, w wrong) {
	switch a.Type {
	case stage.Ref:
		if p, ok := plainPath(a, v); ok {
			return p, cty.StringVal(p), wrong{}
		}
		addr, w := in.ref(a, v)
		return addr, in.one(addr), w
	case stage.RefList:
		list, w := in.refList(a, v)
		return list, in.all(list), w
	}
	v, _, _ = unmark(v)
	converted, err := convert.Convert(v, ctyTypes[a.Type])
	switch {
	case err != nil:
		return nil, v, wrong{text: reason(err) + "."}
	case converted.IsNull() || !converted.IsWhollyKnown():
		return nil, v, wrong{text: "a value is needed."}
	}
	if w := unusable(converted); w.text != "" {
		return nil, v, w
	}
	value, problem := in.goValue(a, converted)
	return value, converted, wrong{text: problem}
}

func (in *instance) goValue(a stage.Attr, v cty.Value) (any, string) {
	switch a.Type {
	case stage.Bool:
		return v.True(), ""
	case stage.Number:
		f, _ := v.AsBigFloat().Float64()
		if math.IsInf(f, 0) {
			return nil, "the number is too large."
		}
		return f, ""
	case stage.StringList:
		return texts(v), ""
	case stage.StringMap:
		m := map[string]string{}
		for k, x := range v.AsValueMap() {
			m[k] = x.AsString()
		}
		return m, ""
	case stage.LocalFile:
		return in.localFile(v.AsString())
	default:
		return oneOf(a, v.AsString())
	}
}

func oneOf(a stage.Attr, s string) (any, string) {
	if len(a.OneOf) == 0 || slices.Contains(a.OneOf, s) {
		return s, ""
	}
	return nil, fmt.Sprintf("it is one of %s.%s", strings.Join(a.OneOf, ", "), config.Suggest(s, a.OneOf))
}
