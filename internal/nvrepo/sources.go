package nvrepo

import (
	"fmt"
	"strings"

	"github.com/pdprov/pdprov/internal/record"
	"github.com/pdprov/pdprov/stages/stage"
)

const (
	sourcesID = "apt.sources"
	keyID     = "apt.nvidia-key"
)

// sourcesScript shows every file that apt reads sources from, with its name.
const sourcesScript = record.Say + record.Show + `
for f in /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources; do
  [ -e "$f" ] || continue
  text=$(show "$f"; echo .) || exit 1
  say file "$f
${text%.}"
done
say end ''
`

// keyScript prints the keyring in base64 with ours as its first word, so that an empty
// file can be told from a silent tool.
const keyScript = `[ -e "$1" ] || [ -h "$1" ] || exit 66
text=$(base64 <"$1") || exit 1
printf 'ring %s\n' "$text"
`

// Probes asks what the host has of a repository.
func Probes() []stage.Probe {
	return []stage.Probe{
		{ID: sourcesID, Script: sourcesScript, Quick: true, MaxBytes: 1 << 20, Reads: []stage.Resource{
			"path:/etc/apt/sources.list", "path:/etc/apt/sources.list.d",
		}},
		{ID: keyID, Script: keyScript, Args: []string{KeyFile}, Quick: true, Reads: []stage.Resource{"path:" + KeyFile}},
	}
}

// entry is one source of apt's.
type entry struct {
	file string
	line int
	url  string
}

func (e entry) String() string { return fmt.Sprintf("%s:%d", e.file, e.line) }

// sources reads the answer: the text of our own file, if it is there, and all entries.
func sources(f stage.Facts) (own string, there bool, entries []entry, unknown stage.Value, ok bool) {
	a := f.Get(sourcesID)
	if !a.Looked() {
		return "", false, nil, a.Unknown(sourcesID), false
	}
	records, err := record.Parse(a.Body)
	if err != nil || len(records) == 0 || records[len(records)-1].Name != "end" {
		return "", false, nil, stage.Value{Reason: fmt.Sprintf("apt's sources could not be read: the answer is cut off or garbled (%v)", err), Probe: sourcesID}, false
	}
	for _, r := range records[:len(records)-1] {
		name, text, _ := strings.Cut(r.Data, "\n")
		if name == ListFile {
			own, there = text, true
		}
		if strings.HasSuffix(name, ".sources") {
			entries = append(entries, deb822(name, text)...)
		} else {
			entries = append(entries, oneLine(name, text)...)
		}
	}
	return own, there, entries, stage.Value{}, true
}

// oneLine reads lines of the form deb [options] URL suite component...
func oneLine(file, text string) (list []entry) {
	for i, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(line, "#")
		line = strings.TrimSpace(line)
		kind, rest, _ := strings.Cut(strings.ReplaceAll(line, "\t", " "), " ")
		if kind != "deb" {
			continue
		}
		rest = strings.TrimSpace(rest)
		if strings.HasPrefix(rest, "[") {
			_, rest, _ = strings.Cut(rest, "]")
		}
		if f := strings.Fields(rest); len(f) > 0 {
			list = append(list, entry{file, i + 1, f[0]})
		}
	}
	return list
}

// deb822 reads stanzas with URIs and, perhaps, Enabled (sources.list(5)).
func deb822(file, text string) (list []entry) {
	var found []entry
	enabled, field := true, ""
	flush := func() {
		if enabled {
			list = append(list, found...)
		}
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
				found = append(found, entry{file, i + 1, word})
			case "enabled":
				enabled = word != "no" && word != "false" && word != "0" && word != "off" && word != "without" && word != "disable"
			}
		}
	}
	flush()
	return list
}

// others are the entries for a URL in files that are not ours.
func others(entries []entry, address string) (list []entry) {
	for _, e := range entries {
		if e.file != ListFile && strings.TrimRight(e.url, "/") == strings.TrimRight(address, "/") {
			list = append(list, e)
		}
	}
	return list
}
