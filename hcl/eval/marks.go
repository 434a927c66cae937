package eval

import (
	"slices"
	"sort"

	"github.com/zclconf/go-cty/cty"
)

// Marks travel with values through every expression, so that whatever a stage or a
// sensitive variable went into is known in the end.
type (
	secretMark struct{}
	stageMark  struct{ addr string }
)

// unmark takes all marks off a value: the stages that went into it, and whether
// something sensitive did.
func unmark(v cty.Value) (plain cty.Value, stages []string, secret bool) {
	plain, marks := v.UnmarkDeep()
	for m := range marks {
		switch m := m.(type) {
		case stageMark:
			stages = append(stages, m.addr)
		case secretMark:
			secret = true
		}
	}
	sort.Strings(stages)
	return plain, stages, secret
}

// sorted lists a set of addresses.
func sorted(set map[string]bool) []string {
	list := make([]string, 0, len(set))
	for addr := range set {
		list = append(list, addr)
	}
	sort.Strings(list)
	return list
}

// union lists what is in one of two lists of addresses.
func union(a, b []string) []string {
	list := slices.Concat(a, b)
	slices.Sort(list)
	return slices.Compact(list)
}
