// Package commandline shortens a command that a package manager wrote into its log, for
// people who want to know what somebody did.
package commandline

import (
	"path"
	"slices"
	"strings"
)

// longest is as much of a command as is shown.
const longest = 80

// Plain is a command without its options, which are long, and one may hold the password of
// a proxy; programs have no folder. Options in takesWord have their value in the next word.
func Plain(command string, takesWord []string) string {
	var plain []string
	value := false
	for _, w := range strings.Fields(command) {
		switch {
		case value:
			value = false
		case strings.HasPrefix(w, "-"):
			value = slices.Contains(takesWord, w)
		case len(plain) == 0 || strings.HasPrefix(w, "/usr/bin/"):
			plain = append(plain, path.Base(w))
		default:
			plain = append(plain, w)
		}
	}
	return short(strings.ToValidUTF8(strings.Join(plain, " "), "\ufffd"))
}

func short(text string) string {
	if len(text) > longest {
		return strings.ToValidUTF8(text[:longest], "") + "..."
	}
	return text
}
