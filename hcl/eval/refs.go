package eval

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/pdprov/pdprov/stages/stage"
)

// ref reads a reference to a stage. An object that only looks like one carries no mark.
func (in *instance) ref(a stage.Attr, v cty.Value) (addr string, w wrong) {
	addr, ok := stageAddr(v)
	st, exists := in.s.e.d.Stage(addr)
	if !ok || !exists || !v.HasMark(stageMark{addr}) {
		example := exampleRef(a)
		if a.OrPath {
			example += ", or an absolute path"
		}
		return "", wrong{text: fmt.Sprintf("it is a reference to a stage, %s.", example)}
	}
	if len(a.Kinds) > 0 && !slices.Contains(a.Kinds, st.Kind) {
		return "", wrong{text: fmt.Sprintf("it takes a stage of kind %s, and %s is of kind %q.", strings.Join(a.Kinds, " or "), addr, st.Kind)}
	}
	return addr, wrong{}
}

// plainPath is a path where a reference may be one. Addresses of stages never start with
// a slash.
func plainPath(a stage.Attr, v cty.Value) (string, bool) {
	v, _ = v.Unmark()
	if !a.OrPath || v.IsNull() || !v.IsKnown() || v.Type() != cty.String {
		return "", false
	}
	return v.AsString(), strings.HasPrefix(v.AsString(), "/")
}

// refList reads a list of references; a stage with for_each stands for all its instances.
func (in *instance) refList(a stage.Attr, v cty.Value) ([]string, wrong) {
	v, marks := v.Unmark()
	if _, single := stageAddr(v); single || v.IsNull() || !v.CanIterateElements() {
		return nil, wrong{text: fmt.Sprintf("it is a list of stages, [%s].", exampleRef(a))}
	}
	list := []string{}
	places := map[string]hcl.Range{}
	for it := v.ElementIterator(); it.Next(); {
		i, x := it.Element()
		more, w := in.refElement(a, x.WithMarks(marks)) // a set has the marks of its elements
		if w.text != "" {
			return nil, wrong{at: pathText(cty.IndexPath(i)), text: w.text}
		}
		if rng, ok := in.st.Ranges[a.Name+pathText(cty.IndexPath(i))]; ok {
			for n := range more {
				places[fmt.Sprintf("%s[%d]", a.Name, len(list)+n)] = rng
			}
		}
		list = append(list, more...)
	}
	maps.Copy(in.st.Ranges, places)
	return list, wrong{}
}

func (in *instance) refElement(a stage.Attr, v cty.Value) ([]string, wrong) {
	if _, single := stageAddr(v); !single && !v.IsNull() && v.IsKnown() && v.Type().IsObjectType() {
		return in.refList(a, v)
	}
	addr, w := in.ref(a, v)
	return []string{addr}, w
}

// one is what expressions see of a reference that an attribute holds: enough to refer to
// the same stage, and not what is in it, which would grow with every step.
func (in *instance) one(addr string) cty.Value {
	st, ok := in.s.e.d.Stage(addr)
	if !ok {
		return cty.DynamicVal
	}
	return cty.ObjectVal(map[string]cty.Value{
		"addr": cty.StringVal(addr), "kind": cty.StringVal(st.Kind),
	}).Mark(stageMark{addr})
}

func (in *instance) all(addrs []string) cty.Value {
	list := make([]cty.Value, len(addrs))
	for i, addr := range addrs {
		list[i] = in.one(addr)
	}
	return cty.TupleVal(list)
}

// choice lists what decides to which stages a value refers, the stages included. What
// went into those stages does not count: they may hold something sensitive.
func choice(v cty.Value) (stages []string, secret bool) {
	v, marks := v.Unmark()
	_, stages, secret = unmark(cty.True.WithMarks(marks))
	if _, single := stageAddr(v); single || v.IsNull() || !v.CanIterateElements() {
		return stages, secret
	}
	for it := v.ElementIterator(); it.Next(); {
		_, x := it.Element()
		more, also := choice(x)
		stages, secret = append(stages, more...), secret || also
	}
	return stages, secret
}

func exampleRef(a stage.Attr) string {
	kind := "KIND"
	if len(a.Kinds) > 0 {
		kind = a.Kinds[0]
	}
	return "stage." + kind + ".NAME"
}

// stageAddr is the address in a stage object.
func stageAddr(v cty.Value) (string, bool) {
	v, _ = v.Unmark()
	if v.IsNull() || !v.IsKnown() || !v.Type().IsObjectType() || !v.Type().HasAttribute("addr") || !v.Type().HasAttribute("kind") {
		return "", false
	}
	addr, _ := v.GetAttr("addr").Unmark()
	if addr.Type() != cty.String || addr.IsNull() || !addr.IsKnown() {
		return "", false
	}
	return addr.AsString(), true
}
