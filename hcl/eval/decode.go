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

// decode turns a value into the Go value that Config holds, and into what expressions
// see of it. problem says why it cannot be.
func (in *instance) decode(a stage.Attr, v cty.Value) (value any, shown cty.Value, problem string) {
	switch a.Type {
	case stage.Ref:
		addr, problem := in.ref(a, v)
		return addr, v, problem
	case stage.RefList:
		list, problem := in.refList(a, v)
		return list, v, problem
	}
	v, _, _ = unmark(v)
	converted, err := convert.Convert(v, ctyTypes[a.Type])
	if err != nil {
		return nil, v, reason(err) + "."
	}
	if converted.IsNull() || !converted.IsWhollyKnown() {
		return nil, v, "a value is needed."
	}
	if hasNUL(converted) {
		return nil, v, "a text with a NUL byte cannot be sent to a host."
	}
	value, problem = in.goValue(a, converted)
	return value, converted, problem
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
		if hasNull(v) {
			return nil, "a list element is null."
		}
		return texts(v), ""
	case stage.StringMap:
		if hasNull(v) {
			return nil, "a value of the map is null."
		}
		m := map[string]string{}
		for k, x := range v.AsValueMap() {
			m[k] = x.AsString()
		}
		return m, ""
	case stage.LocalFile:
		return in.localFile(v.AsString())
	default:
		return in.oneOf(a, v.AsString())
	}
}

func (in *instance) oneOf(a stage.Attr, s string) (any, string) {
	if len(a.OneOf) == 0 || slices.Contains(a.OneOf, s) {
		return s, ""
	}
	return nil, fmt.Sprintf("it is one of %s.%s", strings.Join(a.OneOf, ", "), config.Suggest(s, a.OneOf))
}
