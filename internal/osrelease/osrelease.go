// Package osrelease asks a host which system it runs.
package osrelease

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pdprov/pdprov/internal/record"
	"github.com/pdprov/pdprov/stages/stage"
)

// ID is the ID of the probe.
const ID = "os-release"

const script = record.Show + `for f in /etc/os-release /usr/lib/os-release; do
  if [ -e "$f" ]; then show "$f"; exit; fi
done
echo 'neither /etc/os-release nor /usr/lib/os-release is there' >&2
exit 1
`

// Probe reads a resource of its own and not path:/etc: only an upgrade of the whole
// system changes the answer, and every stage that writes /etc would make all that hangs
// on it uncertain.
func Probe() stage.Probe {
	return stage.Probe{ID: ID, Script: script, Quick: true, Reads: []stage.Resource{"os:release"}}
}

// System is what os-release(5) says.
type System struct {
	IDs     []string // ID, then those of ID_LIKE: "ubuntu", "debian"
	Version string   // VERSION_ID: "24.04"; "" where there is none
	Pretty  string   // for people
}

// Is says whether the system is, or is like, one of those named.
func (s System) Is(ids ...string) bool {
	return slices.ContainsFunc(s.IDs, func(id string) bool { return slices.Contains(ids, id) })
}

// Read is the answer to Probe. Without a usable one the value, Unknown, says why.
func Read(f stage.Facts) (System, stage.Value, bool) {
	a := f.Get(ID)
	if !a.Looked() {
		return System{}, a.Unknown(ID), false
	}
	s := Parse(string(a.Body))
	if len(s.IDs) == 0 { // an answer without its point, not another system
		return System{}, stage.Value{Reason: fmt.Sprintf("os-release names no ID, so the system is not known: %.100q", a.Body), Probe: ID}, false
	}
	return s, stage.Value{}, true
}

// Parse reads the text of an os-release file.
func Parse(text string) System {
	fields := map[string]string{}
	for line := range strings.Lines(text) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok {
			fields[name] = unquote(value)
		}
	}
	s := System{
		IDs:     append(strings.Fields(fields["ID"]), strings.Fields(fields["ID_LIKE"])...),
		Version: fields["VERSION_ID"], Pretty: fields["PRETTY_NAME"],
	}
	if s.Pretty == "" {
		s.Pretty = strings.Join(s.IDs, " ")
	}
	return s
}

// unquote undoes the shell quoting that os-release allows.
func unquote(s string) string {
	if len(s) >= 2 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0] {
		s = s[1 : len(s)-1]
	}
	return strings.NewReplacer(`\"`, `"`, `\$`, `$`, `\\`, `\`, "\\`", "`").Replace(s)
}
