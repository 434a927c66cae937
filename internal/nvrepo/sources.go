package nvrepo

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/pdprov/pdprov/internal/record"
	"github.com/pdprov/pdprov/stages/stage"
)

const (
	sourcesID = "apt.sources"
	keyID     = "apt.nvidia-key"
)

// sourcesScript shows every file that apt, or dnf, reads sources from, with its name, and
// what dnf puts into them. Both pass over what is no regular file; a FIFO would never end.
// A shell reads one byte at a time, so that a large file would take longer than the
// question may.
const sourcesScript = record.Say + record.Show + `
for f in /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources /etc/yum.repos.d/*.repo; do
  [ -f "$f" ] || continue
  size=$(wc -c <"$f") || exit 1
  if [ "$size" -gt 500000 ]; then
    echo "$f has $size bytes: more than a list of package sources can have, and it is not read" >&2
    exit 1
  fi
  text=$(show "$f" && echo .) || exit 1
  say file "$f
${text%.}"
done
if [ -d /etc/yum.repos.d ] && machine=$(uname -m); then say machine "$machine"; fi
for f in /etc/dnf/vars/* /etc/yum/vars/*; do
  if [ -r "$f" ] && value='' && { read -r value <"$f" || [ -n "$value" ]; }; then say var "${f##*/}=$value"; fi
done
say end ''
`

// keyScript prints the keyring, of which a host has one at most, in base64 with ours as
// its first word, so that an empty file can be told from a silent tool.
const keyScript = `for f do
  [ -e "$f" ] || [ -h "$f" ] || continue
  text=$(base64 <"$f") || exit 1
  printf 'ring %s\n' "$text"
  exit 0
done
exit 66
`

// Probes asks what the host has of a repository.
func Probes() []stage.Probe {
	return []stage.Probe{
		{ID: sourcesID, Script: sourcesScript, Quick: true, MaxBytes: 1 << 20, Reads: []stage.Resource{
			"path:/etc/apt/sources.list", "path:/etc/apt/sources.list.d", "path:/etc/yum.repos.d", "path:/etc/dnf/vars", "path:/etc/yum/vars",
		}},
		{ID: keyID, Script: keyScript, Args: []string{KeyFile, RPMKeyFile}, Quick: true, Reads: []stage.Resource{"path:" + KeyFile, "path:" + RPMKeyFile}},
	}
}

// entry is one source of apt's or dnf's, or a line that could not be read as one.
type entry struct {
	file string
	line int
	url  string
	idle bool // not used for packages: switched off, a source of sources, or not understood
	// forms are the addresses that the url may mean on this host; nil: as it stands.
	forms []string
}

// aptReads is how the name of a file in sources.list.d has to be for apt to read it.
var aptReads = regexp.MustCompile(`^/etc/apt/sources\.list(\.d/[A-Za-z0-9_.:-]+\.(list|sources))?$`)

func (e entry) String() string { return fmt.Sprintf("%s:%d", e.file, e.line) }

// seen is what a host has of sources: the text of each file, and the entries of those
// that the repository's package manager reads.
type seen struct {
	texts   map[string]string
	entries []entry
}

// sources reads the answer. Without a usable one the value, Unknown, says why.
func (r Repository) sources(f stage.Facts) (s seen, unknown stage.Value, ok bool) {
	a := f.Get(sourcesID)
	if !a.Looked() {
		return s, a.Unknown(sourcesID), false
	}
	items, err := record.Items(a.Body)
	if err != nil {
		return s, stage.Value{Reason: "the package sources could not be read: " + err.Error(), Probe: sourcesID}, false
	}
	s.texts = map[string]string{}
	vars := variablesOf(r.system)
	for _, said := range items {
		if said.Name != "file" {
			vars.add(said.Name, said.Data)
			continue
		}
		name, text, _ := strings.Cut(said.Data, "\n")
		s.texts[name] = text
		switch repo := strings.HasSuffix(name, ".repo"); {
		case repo != r.rpm:
		case !repo && !aptReads.MatchString(name): // apt passes over it
		case repo:
			s.entries = append(s.entries, sections(name, text)...)
		case strings.HasSuffix(name, ".sources"):
			s.entries = append(s.entries, deb822(name, text)...)
		default:
			s.entries = append(s.entries, oneLine(name, text)...)
		}
	}
	for i, e := range s.entries {
		if r.rpm {
			s.entries[i].forms = vars.expand(e.url)
		}
	}
	return s, stage.Value{}, true
}

// oneLine reads lines of the form deb [options] URL suite component...
func oneLine(file, text string) (list []entry) {
	for i, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(line, "#")
		line = strings.TrimSpace(line)
		kind, rest, _ := strings.Cut(strings.ReplaceAll(line, "\t", " "), " ")
		if kind == "" {
			continue
		}
		if kind != "deb" && kind != "deb-src" {
			list = append(list, entry{file: file, line: i + 1, url: line, idle: true})
			continue
		}
		rest = strings.TrimSpace(rest)
		if strings.HasPrefix(rest, "[") {
			_, rest, _ = strings.Cut(rest, "]")
		}
		if f := strings.Fields(rest); len(f) > 0 {
			list = append(list, entry{file: file, line: i + 1, url: f[0], idle: kind != "deb"})
		}
	}
	return list
}

// closed are the entries of a stanza, or section, of which it is known at its end only
// whether it is enabled.
func closed(found []entry, enabled bool) []entry {
	for i := range found {
		found[i].idle = found[i].idle || !enabled
	}
	return found
}

// deb822 reads stanzas with URIs and, perhaps, Enabled (sources.list(5)).
func deb822(file, text string) (list []entry) {
	var found []entry
	enabled, field := true, ""
	flush := func() {
		list = append(list, closed(found, enabled)...)
		found, enabled, field = nil, true, ""
	}
	for i, line := range strings.Split(text, "\n") {
		switch {
		case strings.TrimSpace(line) == "":
			flush()
			continue
		case strings.HasPrefix(line, "#"):
			continue
		}
		value := line
		if line[0] != ' ' && line[0] != '\t' {
			field, value, _ = strings.Cut(line, ":")
			field = strings.ToLower(strings.TrimSpace(field))
		}
		for _, word := range strings.Fields(value) {
			switch field {
			case "uris":
				found = append(found, entry{file: file, line: i + 1, url: word})
			case "enabled":
				enabled = word != "no" && word != "false" && word != "0" && word != "off" && word != "without" && word != "disable"
			}
		}
	}
	flush()
	return list
}

// others are the entries in use for a URL in files that are not ours.
func others(entries []entry, address string) (list []entry) {
	for _, e := range entries {
		if !e.idle && e.file != ListFile && e.file != RepoFile && e.names(address) {
			list = append(list, e)
		}
	}
	return list
}

func (e entry) names(address string) bool {
	same := func(url string) bool { return strings.TrimRight(url, "/") == strings.TrimRight(address, "/") }
	return same(e.url) || slices.ContainsFunc(e.forms, same)
}
