package packages

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pdprov/pdprov/internal/record"
	"github.com/pdprov/pdprov/stages/stage"
)

// manager is a package manager. Another one (dnf) is one more file and one line in managers.
type manager interface {
	// name is also the lock that its work takes.
	name() string
	// fits says whether hosts of one of these os-release IDs use it.
	fits(ids []string) bool
	// probes asks about the packages of a wish; Absent means that the host lacks the manager.
	probes(w wish) []stage.Probe
	// seen is what the answers say about one package.
	seen(name string, f stage.Facts) installed
	// steps carries a job out.
	steps(j job) []stage.Step
}

func managers() []manager { return []manager{apt{}} }

// installed is what a host shows of one package. The version is None when it is not installed.
type installed struct{ version, state, held stage.Value }

// allUnknown says that nothing is known of a package.
func allUnknown(v stage.Value) installed { return installed{version: v, state: v, held: v} }

const osReleaseID = "os-release"

const osReleaseScript = record.Show + `for f in /etc/os-release /usr/lib/os-release; do
  if [ -e "$f" ]; then show "$f"; exit; fi
done
echo 'neither /etc/os-release nor /usr/lib/os-release is there' >&2
exit 1
`

// osReleaseProbe reads a resource of its own and not path:/etc: only an upgrade of
// the whole system changes the answer, and every stage that writes /etc would make
// the choice of the package manager uncertain.
func osReleaseProbe() stage.Probe {
	return stage.Probe{ID: osReleaseID, Script: osReleaseScript, Quick: true, Reads: []stage.Resource{"os:release"}}
}

// managerOf chooses the package manager of a host. Without one, the value says why
// nothing can be known and the findings tell it to the user.
func managerOf(f stage.Facts) (manager, stage.Value, []stage.Finding) {
	a := f.Get(osReleaseID)
	if !a.Looked() {
		return nil, a.Unknown(osReleaseID), nil
	}
	ids, pretty := parseOSRelease(string(a.Body))
	if len(ids) == 0 { // an answer without its point, not another system
		return nil, stage.Value{Reason: fmt.Sprintf("os-release names no ID, so the package manager is not known: %.100q", a.Body), Probe: osReleaseID}, nil
	}
	for _, m := range managers() {
		if m.fits(ids) {
			return m, stage.Value{}, nil
		}
	}
	reason := fmt.Sprintf("pdprov does not know the package manager of %s", pretty)
	return nil, stage.Value{Reason: reason, Probe: osReleaseID}, []stage.Finding{{
		Summary: "Unknown package manager",
		Detail:  reason + ". It knows apt (Debian, Ubuntu and what derives from them).",
	}}
}

// parseOSRelease reads ID, ID_LIKE and PRETTY_NAME (os-release(5)).
func parseOSRelease(text string) (ids []string, pretty string) {
	fields := map[string]string{}
	for line := range strings.Lines(text) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok {
			fields[name] = unquote(value)
		}
	}
	ids = append(strings.Fields(fields["ID"]), strings.Fields(fields["ID_LIKE"])...)
	if pretty = fields["PRETTY_NAME"]; pretty == "" {
		pretty = strings.Join(ids, " ")
	}
	return ids, pretty
}

// unquote undoes the shell quoting that os-release allows.
func unquote(s string) string {
	if len(s) >= 2 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0] {
		s = s[1 : len(s)-1]
	}
	return strings.NewReplacer(`\"`, `"`, `\$`, `$`, `\\`, `\`, "\\`", "`").Replace(s)
}

func anyOf(ids []string, known ...string) bool {
	return slices.ContainsFunc(ids, func(id string) bool { return slices.Contains(known, id) })
}
