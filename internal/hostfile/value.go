package hostfile

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/pdprov/pdprov/stages/stage"
)

// Content is a wanted content as a value: the text itself where people can read
// it, else its digest and size. A secret is always the digest, and hidden.
func Content(data []byte, secret bool) stage.Value {
	if !secret && Readable(data) {
		return stage.Is(string(data))
	}
	v := stage.Is(sumText(Digest(data), int64(len(data))))
	v.Secret = secret
	return v
}

// Content is the seen content in the form that Content gives the wanted one. Where
// the two differ and the seen one is no readable text, its digest says so.
func (s Seen) Content(wanted []byte, secret bool, probe string) stage.Value {
	by := By("written", s.Modified, s)
	if s.Sum == "" {
		return stage.Value{State: stage.Unknown, Reason: s.Reason, Probe: probe}
	}
	v := stage.Value{State: stage.Present, Text: sumText(s.Sum, s.Size), Secret: secret, By: by}
	switch {
	case secret || wanted == nil || !Readable(wanted):
	case s.Sum == Digest(wanted):
		v.Text = string(wanted)
	case s.HasBody && Readable(s.Body):
		v.Text = string(s.Body)
	}
	return v
}

const sumPrefix = "sha256:"

func sumText(sum string, size int64) string {
	return fmt.Sprintf("%s%s (%d bytes)", sumPrefix, sum, size)
}

// Readable says whether content is shown as text: at most MaxText bytes of
// printable UTF-8, and nothing that could be taken for a digest.
func Readable(data []byte) bool {
	if len(data) > MaxText || !utf8.Valid(data) || strings.HasPrefix(string(data), sumPrefix) {
		return false
	}
	return strings.IndexFunc(string(data), func(r rune) bool {
		return r != '\n' && r != '\t' && !unicode.IsPrint(r)
	}) < 0
}

// By says when something happened to a file, and who owns it.
func By(what string, when time.Time, s Seen) string {
	return fmt.Sprintf("%s %s, owner %s", what, when.Format("2006-01-02 15:04:05 -0700"), s.Owner)
}

// BadPath says why a path cannot be kept, "" when it can.
func BadPath(path string) string {
	switch {
	case !strings.HasPrefix(path, "/"):
		return fmt.Sprintf("A path on a host is absolute; %q does not start with a slash.", path)
	case path == "/" || strings.HasSuffix(path, "/"):
		return fmt.Sprintf("%q ends with a slash. Name the file or directory itself.", path)
	case strings.ContainsRune(path, 0):
		return "A path cannot hold a NUL character."
	}
	for _, part := range strings.Split(path[1:], "/") {
		if part == "" || part == "." || part == ".." {
			return fmt.Sprintf("%q holds an empty part, \".\" or \"..\". Write the path in full, so that every stage that uses it names it alike.", path)
		}
		if len(part) > 255 {
			return fmt.Sprintf("A part of %q is longer than 255 bytes.", path)
		}
	}
	return ""
}
