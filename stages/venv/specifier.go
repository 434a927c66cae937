package venv

import (
	"strconv"
	"strings"
)

// excludes says which part of a specifier such as ">=3.12,<3.14" no version of the wanted
// Python can meet, "" when one may. A wish of "3.12" stands for every patch level of it.
func excludes(specifier, wanted string) string {
	for _, part := range strings.Split(specifier, ",") {
		part = strings.TrimSpace(part)
		op := part[:len(part)-len(strings.TrimLeft(part, "<>=!~"))]
		bound := numbers(strings.TrimSpace(part[len(op):]))
		low := numbers(wanted)
		if len(bound) == 0 || len(low) == 0 {
			continue // not understood: the installer will say
		}
		least, most := compare(low, bound, 0), compare(low, bound, 0)
		if len(low) < 3 {
			most = compare(low, bound, 1<<30)
		}
		ok := true
		switch op {
		case ">=":
			ok = most >= 0
		case ">":
			ok = most > 0
		case "<=":
			ok = least <= 0
		case "<":
			ok = least < 0
		case "==":
			if bound = numbers(strings.TrimSuffix(strings.TrimSpace(part[2:]), ".*")); strings.HasSuffix(part, ".*") {
				ok = compare(low[:min(len(low), len(bound))], bound[:min(len(low), len(bound))], 0) == 0
			} else {
				ok = least <= 0 && most >= 0
			}
		case "~=":
			ok = most >= 0 && compare(low[:min(len(low), len(bound)-1)], bound[:min(len(low), len(bound)-1)], 0) == 0
		}
		if !ok {
			return part
		}
	}
	return ""
}

// compare is -1, 0 or 1; what a lacks counts as fill, what b lacks as 0.
func compare(a, b []int, fill int) int {
	for i := range max(len(a), len(b), 3) {
		x, y := fill, 0
		if i < len(a) {
			x = a[i]
		}
		if i < len(b) {
			y = b[i]
		}
		if x != y {
			if x < y {
				return -1
			}
			return 1
		}
	}
	return 0
}

// numbers are the parts of a version, nil where one of them is no number.
func numbers(version string) (all []int) {
	for _, part := range strings.Split(strings.TrimSuffix(version, ".*"), ".") {
		n, err := strconv.Atoi(part)
		if err != nil {
			return nil
		}
		all = append(all, n)
	}
	return all
}
