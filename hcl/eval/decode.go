package eval

import (
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"github.com/pdprov/pdprov/hcl/config"
	"github.com/pdprov/pdprov/stages/stage"
)

// maxLocalFile bounds a file that travels with a plan.
const maxLocalFile = 64 << 20

var ctyTypes = map[stage.Type]cty.Type{
	stage.String: cty.String, stage.Bool: cty.Bool, stage.Number: cty.Number, stage.LocalFile: cty.String,
	stage.StringList: cty.List(cty.String), stage.StringMap: cty.Map(cty.String),
}

// decode turns a value into the Go value that Config holds, and into what expressions
// see of it. problem says why it cannot be.
func (in *instance) decode(a stage.Attr, v cty.Value, attr *hclsyntax.Attribute) (value any, shown cty.Value, problem string) {
	switch a.Type {
	case stage.Ref:
		addr, problem := in.ref(a, v)
		return addr, v, problem
	case stage.RefList:
		list, problem := in.refList(a, v)
		return list, v, problem
	}
	converted, err := convert.Convert(v, ctyTypes[a.Type])
	if err != nil {
		return nil, v, err.Error() + "."
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
	if len(a.OneOf) == 0 || contains(a.OneOf, s) {
		return s, ""
	}
	return nil, fmt.Sprintf("it is one of %s.%s", strings.Join(a.OneOf, ", "), config.Suggest(s, a.OneOf))
}

// localFile reads a file of this machine, named from the folder of the plan file.
func (in *instance) localFile(path string) (any, string) {
	full := path
	if !filepath.IsAbs(path) {
		full = filepath.Join(in.block.Dir, path)
	}
	info, err := os.Stat(full)
	switch {
	case err != nil:
		return nil, fmt.Sprintf("the file cannot be read: %s.", err)
	case !info.Mode().IsRegular():
		return nil, fmt.Sprintf("%s is not a file.", full)
	case info.Size() > maxLocalFile:
		return nil, fmt.Sprintf("%s has %d bytes; at most %d can travel with a plan.", full, info.Size(), maxLocalFile)
	}
	data, err := os.ReadFile(full)
	if err != nil {
		return nil, fmt.Sprintf("the file cannot be read: %s.", err)
	}
	return stage.LocalData{Path: path, Data: data}, ""
}

// ref reads a reference to a stage.
func (in *instance) ref(a stage.Attr, v cty.Value) (addr, problem string) {
	addr, ok := stageAddr(v)
	if !ok {
		return "", fmt.Sprintf("it is a reference to a stage, %s.", exampleRef(a))
	}
	kind := v.GetAttr("kind").AsString()
	if len(a.Kinds) > 0 && !contains(a.Kinds, kind) {
		return "", fmt.Sprintf("it takes a stage of kind %s, and %s is of kind %q.", strings.Join(a.Kinds, " or "), addr, kind)
	}
	in.refs[addr] = true
	return addr, ""
}

// refList reads a list of references; a stage with for_each stands for all its instances.
func (in *instance) refList(a stage.Attr, v cty.Value) (list []string, problem string) {
	if _, single := stageAddr(v); single || !v.CanIterateElements() {
		return nil, fmt.Sprintf("it is a list of stages, [%s].", exampleRef(a))
	}
	list = []string{}
	for it := v.ElementIterator(); it.Next(); {
		_, x := it.Element()
		if _, ok := stageAddr(x); !ok && x.CanIterateElements() && x.Type().IsObjectType() {
			more, problem := in.refList(a, x)
			if problem != "" {
				return nil, problem
			}
			list = append(list, more...)
			continue
		}
		addr, problem := in.ref(a, x)
		if problem != "" {
			return nil, problem
		}
		list = append(list, addr)
	}
	return list, ""
}

func exampleRef(a stage.Attr) string {
	kind := "KIND"
	if len(a.Kinds) > 0 {
		kind = a.Kinds[0]
	}
	return "stage." + kind + ".NAME"
}

// stageAddr is the address of a stage object.
func stageAddr(v cty.Value) (string, bool) {
	if v.IsNull() || !v.Type().IsObjectType() || !v.Type().HasAttribute("addr") || !v.Type().HasAttribute("kind") {
		return "", false
	}
	addr := v.GetAttr("addr")
	if addr.Type() != cty.String || addr.IsNull() || !addr.IsKnown() {
		return "", false
	}
	return addr.AsString(), true
}

func texts(list cty.Value) []string {
	out := []string{}
	for it := list.ElementIterator(); it.Next(); {
		_, v := it.Element()
		if !v.IsNull() {
			out = append(out, v.AsString())
		}
	}
	return out
}

func hasNull(v cty.Value) bool {
	for it := v.ElementIterator(); it.Next(); {
		if _, x := it.Element(); x.IsNull() {
			return true
		}
	}
	return false
}

func hasNUL(v cty.Value) bool {
	found := false
	_ = cty.Walk(v, func(_ cty.Path, x cty.Value) (bool, error) {
		if x.Type() == cty.String && !x.IsNull() && x.IsKnown() && strings.ContainsRune(x.AsString(), 0) {
			found = true
		}
		return !found, nil
	})
	return found
}

// shownDefault is what expressions see of a default.
func shownDefault(v any) cty.Value {
	switch v := v.(type) {
	case string:
		return cty.StringVal(v)
	case bool:
		return cty.BoolVal(v)
	case float64:
		return cty.NumberFloatVal(v)
	case []string:
		list := make([]cty.Value, len(v))
		for i, s := range v {
			list[i] = cty.StringVal(s)
		}
		return cty.TupleVal(list)
	case map[string]string:
		m := map[string]cty.Value{}
		keys := make([]string, 0, len(v))
		for k := range v {
			keys = append(keys, k)
		}
		sort.Strings(keys)
		for _, k := range keys {
			m[k] = cty.StringVal(v[k])
		}
		return cty.ObjectVal(m)
	default:
		return cty.NullVal(cty.DynamicPseudoType)
	}
}
