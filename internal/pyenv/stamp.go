package pyenv

import (
	"net/url"
	"strings"
)

// Stamp is a list of distributions with what identifies each, written when it was
// installed: pdprov.stamp by the venv stage, pdprov.added/STAGE by one that adds more.
type Stamp struct {
	Lock  string            // sha256 of the lock in hex, "" in a list of what was added
	Dists map[string]string // folder -> identity
}

// AddedFolder is the folder of an environment in which a stage that adds distributions
// leaves a file with AddedName: lines "dist IDENTITY FOLDER", the form of pdprov.stamp.
const AddedFolder = "pdprov.added"

// AddedName is the name of that file for a stage's address.
func AddedName(addr string) string { return url.PathEscape(addr) }

// readStamp reads lines "lock HEX" and "dist IDENTITY FOLDER".
func readStamp(text string) Stamp {
	s := Stamp{Dists: map[string]string{}}
	for line := range strings.Lines(text) {
		word, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch word {
		case "lock":
			s.Lock = rest
		case "dist":
			identity, folder, _ := strings.Cut(rest, " ")
			s.Dists[folder] = identity
		}
	}
	return s
}

// Lists says whether a distribution was installed, by normalised name.
func (s Stamp) Lists(name string) bool {
	for folder := range s.Dists {
		if other, _ := split(folder); other == name {
			return true
		}
	}
	return false
}

// Knows says whether a distribution is byte for byte one that was installed, as far as
// its own list of files tells.
func (s Stamp) Knows(d Dist) bool {
	for _, identity := range s.Dists {
		if identity == d.Identity {
			return true
		}
	}
	return false
}
