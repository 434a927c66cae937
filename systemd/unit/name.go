package unit

import (
	"fmt"
	"strings"
)

const nameLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789:-_.\\@"

// Suffixes lists the types of units that a file can make.
func Suffixes() []string {
	return []string{".service", ".socket", ".timer", ".target", ".path", ".mount", ".automount", ".swap", ".slice"}
}

// Suffix is a unit's type with its dot: ".service"; "" for a name without one.
func Suffix(name string) string {
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		return name[i:]
	}
	return ""
}

// ValidName says what keeps systemd from taking a name for that of a unit file: of a
// unit, a template ("x@.service") or an instance ("x@y.service").
func ValidName(name string) error {
	suffix := Suffix(name)
	stem := strings.TrimSuffix(name, suffix)
	switch {
	case !known(suffix):
		return fmt.Errorf("%q has none of the suffixes %s", name, strings.Join(Suffixes(), ", "))
	case stem == "" || stem[0] == '@':
		return fmt.Errorf("%q has no name before its suffix", name)
	case len(name) > 255:
		return fmt.Errorf("%.40q... has %d characters; 255 are allowed", name, len(name))
	}
	if i := strings.IndexFunc(stem, func(r rune) bool { return !strings.ContainsRune(nameLetters, r) }); i >= 0 {
		return fmt.Errorf(`%q holds a character other than letters, digits and :-_.\@`, name)
	}
	return nil
}

func known(suffix string) bool {
	for _, s := range Suffixes() {
		if s == suffix {
			return true
		}
	}
	return false
}

// Template says whether a name is that of a template, which itself can never run.
func Template(name string) bool {
	before, after, found := strings.Cut(strings.TrimSuffix(name, Suffix(name)), "@")
	return found && before != "" && after == ""
}
