package stage

import "strings"

// Claimer is a kind whose stages decide about things that no other stage may decide
// about otherwise. A kind without it claims nothing.
type Claimer interface {
	// Claims lists what a stage decides about, with what it wants of it in a word or
	// two. Two stages of a host may claim the same only where one of the words begins
	// with the other: "installed" and "installed 1.2" get along.
	Claims(in Instance) map[Resource]string
}

// Clash says whether two claims to the same resource cannot both be met.
func Clash(a, b string) bool { return !strings.HasPrefix(a, b) && !strings.HasPrefix(b, a) }
