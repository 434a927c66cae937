package apt

import (
	"slices"
	"strings"

	"github.com/pdprov/pdprov/internal/commandline"
)

// run is one run of apt in its history, with what it did to the packages asked for.
type run struct {
	start, end string // end is "" when apt did not live to write it
	by         string // the person behind sudo, if apt knew
	command    string
	items      []item
}

// item is "upgrade", "jq:amd64", "1.6, 1.7".
type item struct{ action, name, versions string }

// runs reads the records of logScript. What is not whole is left out.
func runs(text string) []run {
	var list []run
	open := false
	for line := range strings.Lines(text) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		last := len(list) - 1
		switch {
		case f[0] == "run":
			if open = len(f) == 4 && atForm.MatchString(f[1]); open {
				list = append(list, run{start: f[1], by: f[2], command: f[3]})
			}
		case !open:
		case f[0] == "end":
			if open = false; len(f) == 2 && atForm.MatchString(f[1]) {
				list[last].end = f[1]
			}
		case len(f) == 3:
			list[last].items = append(list[last].items, item{f[0], f[1], f[2]})
		}
	}
	return list
}

// did says whether the run is the one in which dpkg wrote a line: its time lies in it, and
// it names that package and that version. Where the end is missing, a later run that fits
// as well counts more. In apt's history a package for all architectures has the host's own.
func (r run) did(e entry, native string) bool {
	if e.at < r.start || r.end != "" && e.at > r.end {
		return false
	}
	name := e.name
	if b, arch, _ := strings.Cut(name, ":"); arch == "all" {
		name = b + ":" + native
	}
	return slices.ContainsFunc(r.items, func(i item) bool {
		return i.name == name && i.made() == e.made() && (!e.made() || i.version() == e.to)
	})
}

func (i item) made() bool { return i.action != "remove" && i.action != "purge" }

// version is the one that the item leads to: "1.7" of "1.6, 1.7" and of "1.7, automatic".
func (i item) version() string {
	versions := strings.Split(i.versions, ", ")
	if n := len(versions); n > 1 && versions[n-1] == "automatic" {
		versions = versions[:n-1]
	}
	return versions[len(versions)-1]
}

// who names the run: "unattended-upgrades", "apt-get install jq (alice)"; "" when apt wrote
// down neither command nor person.
func (r run) who() string {
	text := commandline.Plain(r.command, takesWord)
	if words := strings.Fields(text); slices.Contains(words[:min(2, len(words))], "unattended-upgrade") {
		text = "unattended-upgrades"
	}
	switch {
	case r.by == "":
		return text
	case text == "":
		return "apt (" + r.by + ")"
	default:
		return text + " (" + r.by + ")"
	}
}

// takesWord are the options of apt and dpkg whose value is the next word.
var takesWord = []string{"-o", "--option", "-t", "--target-release", "--default-release", "-c", "--config-file", "-a", "--host-architecture", "-P", "--build-profiles"}
