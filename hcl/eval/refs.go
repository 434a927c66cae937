package eval

import (
	"fmt"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/pdprov/pdprov/stages/stage"
)

// ref reads a reference to a stage. An object that only looks like one carries no mark.
func (in *instance) ref(a stage.Attr, v cty.Value) (addr, wrong string) {
	addr, ok := stageAddr(v)
	st, exists := in.s.e.d.Stage(addr)
	if !ok || !exists || !in.refs[addr] {
		return "", fmt.Sprintf("it is a reference to a stage, %s.", exampleRef(a))
	}
	if len(a.Kinds) > 0 && !slices.Contains(a.Kinds, st.Kind) {
		return "", fmt.Sprintf("it takes a stage of kind %s, and %s is of kind %q.", strings.Join(a.Kinds, " or "), addr, st.Kind)
	}
	return addr, ""
}

// refList reads a list of references; a stage with for_each stands for all its instances.
func (in *instance) refList(a stage.Attr, v cty.Value) (list []string, wrong string) {
	v, _ = v.Unmark()
	if _, single := stageAddr(v); single || !v.CanIterateElements() {
		return nil, fmt.Sprintf("it is a list of stages, [%s].", exampleRef(a))
	}
	list = []string{}
	for it := v.ElementIterator(); it.Next(); {
		_, x := it.Element()
		more, wrong := in.refElement(a, x)
		if wrong != "" {
			return nil, wrong
		}
		list = append(list, more...)
	}
	return list, ""
}

func (in *instance) refElement(a stage.Attr, v cty.Value) ([]string, string) {
	v, _ = v.Unmark()
	if _, single := stageAddr(v); !single && v.CanIterateElements() && v.Type().IsObjectType() {
		return in.refList(a, v)
	}
	addr, wrong := in.ref(a, v)
	return []string{addr}, wrong
}

// secretChoice says whether something sensitive decides which stages a value refers to.
// A stage that holds something sensitive may be referred to by any other.
func secretChoice(v cty.Value) bool {
	if v.HasMark(secretMark{}) {
		return true
	}
	v, _ = v.Unmark()
	if _, single := stageAddr(v); single || !v.CanIterateElements() {
		return false
	}
	for it := v.ElementIterator(); it.Next(); {
		if _, x := it.Element(); secretChoice(x) {
			return true
		}
	}
	return false
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
