package unit

import (
	"cmp"
	"slices"
	"strings"
)

// Difference is a setting that two files do not share.
type Difference struct {
	Section, Key string   // Key is "Listen*" for the sockets of a unit, whose order counts
	A, B         []string // the values in each
}

// Compare lists the settings in which two whole unit files (not drop-ins, in which an
// emptied list differs from none) differ, in order. Comments, white space, the order
// of different keys, and what an empty assignment undoes do not count.
func Compare(a, b File) []Difference {
	left, right := settings(a), settings(b)
	var found []Difference
	for at, values := range left {
		if !slices.Equal(values, right[at]) {
			found = append(found, Difference{at.section, at.key, values, right[at]})
		}
	}
	for at, values := range right {
		if _, both := left[at]; !both {
			found = append(found, Difference{at.section, at.key, nil, values})
		}
	}
	slices.SortFunc(found, func(x, y Difference) int {
		return cmp.Or(cmp.Compare(x.Section, y.Section), cmp.Compare(x.Key, y.Key))
	})
	return found
}

type setting struct{ section, key string }

// settings are the values of every key after all assignments.
func settings(f File) map[setting][]string {
	all := map[setting][]string{}
	for _, s := range f.Sections {
		for _, e := range s.Entries {
			at, value := setting{s.Name, e.Key}, e.Value
			if s.Name == "Socket" && strings.HasPrefix(e.Key, "Listen") {
				at.key = "Listen*"
				value = e.Key + "=" + value
			}
			if e.Value == "" {
				delete(all, at)
				continue
			}
			all[at] = append(all[at], value)
		}
	}
	return all
}
