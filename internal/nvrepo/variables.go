package nvrepo

import (
	"regexp"
	"slices"
	"strings"

	"github.com/pdprov/pdprov/internal/osrelease"
)

// variables are what dnf puts into the addresses of .repo files, by name. One of which the
// value is not certain has several.
type variables map[string][]string

// variablesOf knows the release from os-release: dnf takes it from a package, which has
// "9" on what is built from RHEL 9.4, and "9.4" on some.
func variablesOf(sys osrelease.System) variables {
	major, minor, _ := strings.Cut(sys.Version, ".")
	return variables{"releasever": slices.Compact([]string{sys.Version, major}), "releasever_major": {major}, "releasever_minor": {minor}}
}

// add takes what the host says: its architecture, and the files of /etc/dnf/vars, which
// count more than what dnf finds out.
func (v variables) add(name, value string) {
	switch name {
	case "machine":
		v["basearch"], v["arch"] = []string{value}, []string{value}
	case "var":
		name, value, _ := strings.Cut(value, "=")
		v[strings.ToLower(name)] = []string{value}
	}
}

var variableForm = regexp.MustCompile(`\$(?:[A-Za-z0-9_]+|\{[A-Za-z0-9_]+\})`)

// expand is every address that may be meant; a variable that is not known stays.
func (v variables) expand(address string) []string {
	const most = 16
	list := []string{address}
	for _, word := range slices.Compact(slices.Sorted(slices.Values(variableForm.FindAllString(address, -1)))) {
		values := v[strings.ToLower(strings.Trim(word, "${}"))]
		if len(values) == 0 || len(list)*len(values) > most {
			continue
		}
		var next []string
		for _, a := range list {
			for _, value := range values {
				next = append(next, variableForm.ReplaceAllStringFunc(a, func(w string) string {
					if w == word {
						return value
					}
					return w
				}))
			}
		}
		list = next
	}
	return list
}
