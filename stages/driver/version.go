package driver

import (
	"regexp"
	"strings"
)

var (
	branchForm  = regexp.MustCompile(`^[1-9][0-9]{2}$`)
	versionForm = regexp.MustCompile(`^[1-9][0-9]{2}\.[0-9]{1,3}(\.[0-9]{1,3})?$`)
)

// branchOf is the first part of a version: "580".
func branchOf(version string) string { b, _, _ := strings.Cut(version, "."); return b }

// upstream is a package's version without epoch and revision: "580.95.05".
func upstream(packageVersion string) string {
	if _, rest, found := strings.Cut(packageVersion, ":"); found {
		packageVersion = rest
	}
	v, _, _ := strings.Cut(packageVersion, "-")
	return v
}

// pattern is a version, or "580.*" for any of a branch.
func (w wish) pattern() string {
	if w.version != "" {
		return w.version
	}
	return w.branch + ".*"
}

// fits says whether a version is one that is wished for.
func (w wish) fits(version string) bool {
	if w.version != "" {
		return version == w.version
	}
	return versionForm.MatchString(version) && branchOf(version) == w.branch
}

// newer compares versions, and kernel releases, by their numbers: "580.9" is older
// than "580.126".
func newer(a, b string) bool {
	for a != "" || b != "" {
		x, restA := chunk(a)
		y, restB := chunk(b)
		a, b = restA, restB
		if x == y {
			continue
		}
		if digits(x) && digits(y) {
			x, y = strings.TrimLeft(x, "0"), strings.TrimLeft(y, "0")
			if len(x) != len(y) {
				return len(x) > len(y)
			}
		}
		if x != y {
			return x > y
		}
	}
	return false
}

func digits(s string) bool { return s != "" && s[0] >= '0' && s[0] <= '9' }

// chunk splits off the digits, or the others, that a text begins with.
func chunk(s string) (head, rest string) {
	i := 0
	for i < len(s) && digits(s[i:]) == digits(s) {
		i++
	}
	return s[:i], s[i:]
}
