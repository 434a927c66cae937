// Package posixsh quotes text for a POSIX shell. It is the only place that does.
package posixsh

import "strings"

// Quote makes one word of s that every POSIX shell reads back byte for byte; so do
// fish and tcsh when s is UTF-8 without "!", backslashes and newlines. A NUL byte
// cannot be said in a shell word; it is dropped here and refused where plan files
// are read.
func Quote(s string) string {
	s = strings.ReplaceAll(s, "\x00", "")
	if s != "" && strings.Trim(s, safe) == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// safe holds the characters that need no quotes. "=" and "~" are missing on
// purpose: at the start of a command they mean an assignment and a home folder.
const safe = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:,@%+"

// Words quotes each of words and joins them with spaces.
func Words(words ...string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = Quote(w)
	}
	return strings.Join(quoted, " ")
}
