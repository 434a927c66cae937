package eval

import (
	"sort"
	"strings"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
)

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
	_ = cty.Walk(v, func(path cty.Path, x cty.Value) (bool, error) {
		found = found || isNUL(x)
		if len(path) > 0 {
			key, ok := path[len(path)-1].(cty.IndexStep)
			found = found || ok && isNUL(key.Key)
		}
		return !found, nil
	})
	return found
}

func isNUL(v cty.Value) bool {
	return v.Type() == cty.String && !v.IsNull() && v.IsKnown() && strings.ContainsRune(v.AsString(), 0)
}

// reason is a conversion's error with the place in the value.
func reason(err error) string {
	path, ok := err.(cty.PathError)
	if !ok || len(path.Path) == 0 {
		return err.Error()
	}
	return "at " + strings.TrimPrefix(pathText(path.Path), ".") + ": " + err.Error()
}

func pathText(path cty.Path) (text string) {
	for _, step := range path {
		switch step := step.(type) {
		case cty.GetAttrStep:
			text += "." + step.Name
		case cty.IndexStep:
			if key, err := convert.Convert(step.Key, cty.String); err == nil && key.IsKnown() && !key.IsNull() {
				text += "[" + key.AsString() + "]"
			}
		}
	}
	return text
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
