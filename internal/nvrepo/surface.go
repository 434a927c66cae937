package nvrepo

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"github.com/pdprov/pdprov/internal/osrelease"
	"github.com/pdprov/pdprov/stages/stage"
)

// Want adds to a surface what the stage asks for, and says what is impossible.
func Want(in stage.Instance, f stage.Facts, s stage.Surface) []stage.Finding {
	s[SourcePath], s[KeyPath], s[OthersPath] = stage.SomeValue(), stage.SomeValue(), stage.Nothing()
	sys, _, known := osrelease.Read(f)
	r, ok := Of(in.Config, sys)
	s[KeyPath] = stage.Is(r.Fingerprint)
	switch {
	case ok:
		s[SourcePath] = stage.Is(r.line())
		return clashes(in, f, sys, r)
	case !known:
		return nil // the seen values are unknown, which is said
	}
	systems := "Debian and Ubuntu"
	if r.rpm {
		systems = "RHEL 8 and later, what is built from it, Fedora and Amazon Linux 2023"
	}
	return []stage.Finding{{
		Summary: "No repository of NVIDIA for this system",
		Detail:  fmt.Sprintf("pdprov knows NVIDIA's repositories for %s, not for %s. Set repository and key_fingerprint.", systems, sys.Pretty),
	}}
}

// clashes refuses other sources of the same repository: apt would refuse all work,
// of whoever, as soon as they name another key, and dnf would ask for that key or none.
func clashes(in stage.Instance, f stage.Facts, sys osrelease.System, r Repository) []stage.Finding {
	s, _, ok := r.sources(f)
	list := others(s.entries, r.URL)
	if !ok || len(list) == 0 {
		return nil
	}
	rest := beside(s.entries, list, r.URL)
	if in.Config.Bool("replace_sources") {
		return mixed(rest)
	}
	if len(rest) == 0 && replacedBefore(in, sys, r) {
		return nil
	}
	why := "With different keys (Signed-By) apt refuses to work at all."
	if r.rpm {
		why = "Packages from there would be taken with whatever key, or none, that source asks for."
	}
	return []stage.Finding{{
		Path: "repository", Summary: "Another source names the same repository",
		Detail: fmt.Sprintf("%s names %s too. %s %s", words(list), r.URL, why, advice(rest)),
	}}
}

// replacedBefore says whether a stage that this one names, and that the plan carries out
// before it, renames the other sources. After it the host is looked at again.
func replacedBefore(in stage.Instance, sys osrelease.System, r Repository) bool {
	for addr, named := range in.Refs {
		theirs, ok := Of(named.Config, sys)
		if ok && in.Pending[addr] && named.Config.Bool("replace_sources") && theirs.URL == r.URL {
			return true
		}
	}
	return false
}

func words(list []entry) string {
	var names []string
	for _, e := range list {
		names = append(names, e.String())
	}
	return strings.Join(names, ", ")
}

// Have adds to a surface what the host shows.
func Have(in stage.Instance, f stage.Facts, s stage.Surface) {
	sys, unknown, known := osrelease.Read(f)
	if !known { // then neither whose files they are
		s[KeyPath], s[SourcePath], s[OthersPath] = unknown, unknown, unknown
		return
	}
	s[KeyPath] = key(f)
	r, ok := Of(in.Config, sys)
	if !ok {
		unknown = stage.Value{Reason: "NVIDIA has no repository for " + sys.Pretty, Probe: osrelease.ID}
		s[SourcePath], s[OthersPath] = unknown, unknown
		return
	}
	seen, unknown, ok := r.sources(f)
	if !ok {
		s[SourcePath], s[OthersPath] = unknown, unknown
		return
	}
	s[SourcePath], s[OthersPath] = stage.Nothing(), stage.Nothing()
	if own, there := seen.texts[r.file()]; there {
		s[SourcePath] = stage.Is(own)
	}
	if list := others(seen.entries, r.URL); len(list) > 0 {
		text := words(list)
		if in.Config.Bool("replace_sources") && len(beside(seen.entries, list, r.URL)) == 0 {
			for _, file := range files(list) {
				text += "; " + renaming(file)
			}
		}
		s[OthersPath] = stage.Is(text)
	}
}

// key is the fingerprint of the keys in our keyring, or what it holds instead.
func key(f stage.Facts) stage.Value {
	a := f.Get(keyID)
	switch {
	case a.Outcome == stage.Absent:
		return stage.Nothing()
	case !a.Looked():
		return a.Unknown(keyID)
	}
	text, ok := strings.CutPrefix(string(a.Body), "ring ")
	ring, err := base64.StdEncoding.DecodeString(strings.ReplaceAll(text, "\n", ""))
	if !ok || err != nil {
		return stage.Value{Reason: "the keyring could not be read: the answer makes no sense", Probe: keyID}
	}
	keys, err := Keys(ring)
	if err != nil {
		return stage.Is("no keyring: " + err.Error())
	}
	return stage.Is(strings.Join(keys, ", "))
}

// Paths are the paths of the surface.
func Paths() []string { return []string{SourcePath, KeyPath, OthersPath} }

// changed says whether one of the changes is about the repository.
func changed(changes []stage.Change) bool {
	return slices.ContainsFunc(changes, func(c stage.Change) bool { return slices.Contains(Paths(), c.Path) })
}
