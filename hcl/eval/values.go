package eval

import (
	"fmt"
	"sort"
	"strings"

	"github.com/zclconf/go-cty/cty"
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

// unusable finds what cannot go to a host: a NUL byte, or null inside of a collection.
func unusable(v cty.Value) (w wrong) {
	_ = cty.Walk(v, func(path cty.Path, x cty.Value) (bool, error) {
		switch {
		case w.text != "":
		case isNUL(x) || isNUL(lastKey(path)):
			w = wrong{pathText(path), "a text with a NUL byte cannot be sent to a host."}
		case x.IsNull():
			w = wrong{pathText(path), "a value in it is null."}
		}
		return w.text == "", nil
	})
	return w
}

// lastKey is the key that a path ends with, a null text for none.
func lastKey(path cty.Path) cty.Value {
	if len(path) > 0 {
		if step, ok := path[len(path)-1].(cty.IndexStep); ok {
			return step.Key
		}
	}
	return cty.NullVal(cty.String)
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

// pathText writes a path as the keys of Stage.Ranges have it.
func pathText(path cty.Path) (text string) {
	for _, step := range path {
		switch step := step.(type) {
		case cty.GetAttrStep:
			text += "." + step.Name
		case cty.IndexStep:
			switch key := step.Key; {
			case key.Type() == cty.String && key.IsKnown() && !key.IsNull():
				text += fmt.Sprintf("[%q]", key.AsString())
			case key.Type() == cty.Number && key.IsKnown() && !key.IsNull():
				text += fmt.Sprintf("[%s]", key.AsBigFloat().Text('f', 0))
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
