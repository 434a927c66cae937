package venv

import (
	"fmt"
	"sort"
	"strings"

	"github.com/pdprov/pdprov/internal/pyenv"
)

// lock is a requirements file read: what it pins, by normalised name.
type lock map[string][]pin

// pin is one version of a distribution. With a marker the installer decides, from
// the host's Python and platform, whether this line counts.
type pin struct {
	version string
	marked  bool
	line    int
	source  string // where it comes from, as far as the lock says
}

// fault is a line of a lock that pdprov cannot vouch for.
type fault struct {
	line int
	text string
}

// parseLock reads a requirements file: "name==version ; marker --hash=sha256:...",
// continued over lines by a backslash.
func parseLock(data []byte) (lock, []fault) {
	l := lock{}
	var faults []fault
	for _, line := range joined(string(data)) {
		if why := l.add(line.at, line.text); why != "" {
			faults = append(faults, fault{line.at, why})
		}
	}
	if len(l) == 0 && len(faults) == 0 {
		faults = append(faults, fault{1, "it names no distribution"})
	}
	return l, faults
}

// logical is a line with its continuations, and the number of its first line.
type logical struct {
	at   int
	text string
}

func joined(text string) []logical {
	var all []logical
	open := false
	for i, line := range strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n") {
		if at := comment(line); at >= 0 {
			line = line[:at]
		}
		line, more := strings.CutSuffix(line, `\`)
		if open {
			all[len(all)-1].text += " " + line
		} else {
			all = append(all, logical{i + 1, line})
		}
		open = more
	}
	return all
}

// comment is where a comment starts: a "#" at the beginning or after a space.
func comment(line string) int {
	for i := range line {
		if line[i] == '#' && (i == 0 || line[i-1] == ' ' || line[i-1] == '\t') {
			return i
		}
	}
	return -1
}

// add takes one requirement and says what is wrong with it.
func (l lock) add(line int, text string) string {
	fields := strings.Fields(text)
	if len(fields) == 0 || fields[0] == "--require-hashes" || fields[0] == "--only-binary" || fields[0] == "--no-binary" ||
		strings.HasPrefix(fields[0], "--only-binary=") || strings.HasPrefix(fields[0], "--no-binary=") {
		return ""
	}
	if strings.HasPrefix(fields[0], "-") {
		return fmt.Sprintf("the option %q is not taken in a lock; give indexes as index_url and every requirement as name==version with hashes", fields[0])
	}
	spec, hashes, why := split(fields)
	if why != "" {
		return why
	}
	requirement, marker, marked := strings.Cut(spec, ";")
	name, version, pinned := strings.Cut(requirement, "==")
	name, version = strings.TrimSpace(name), strings.TrimSpace(version)
	if bare, _, extras := strings.Cut(name, "["); extras {
		name = strings.TrimSpace(bare)
	}
	switch {
	case strings.Contains(requirement, "@") || strings.Contains(requirement, "://"):
		return "a URL cannot be compared with what is installed; pin name==version and put the file into a folder for find_links"
	case !pinned || !plain(version) || !plain(name):
		return fmt.Sprintf("%.80q does not pin one version in the form name==version", strings.TrimSpace(requirement))
	case hashes == 0:
		return fmt.Sprintf("%s==%s has no --hash=sha256:..., so nothing proves what is installed", name, version)
	}
	l[pyenv.Normal(name)] = append(l[pyenv.Normal(name)], pin{version: version, marked: marked && strings.TrimSpace(marker) != "", line: line})
	return ""
}

// split separates a requirement from its --hash options.
func split(fields []string) (spec string, hashes int, why string) {
	var kept []string
	for _, f := range fields {
		sum, isHash := strings.CutPrefix(f, "--hash=")
		switch {
		case isHash && sha256Hash(sum):
			hashes++
		case isHash:
			return "", 0, fmt.Sprintf("%.100q is not a sha256 hash", f)
		case strings.HasPrefix(f, "--"):
			return "", 0, fmt.Sprintf("the option %q is not taken behind a requirement", f)
		default:
			kept = append(kept, f)
		}
	}
	return strings.Join(kept, " "), hashes, ""
}

func sha256Hash(s string) bool {
	hex, ok := strings.CutPrefix(s, "sha256:")
	return ok && len(hex) == 64 && strings.Trim(hex, "0123456789abcdef") == ""
}

func plain(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-+!") == ""
}

// marked says whether every line of a name has a marker.
func marked(pins []pin) bool {
	for _, p := range pins {
		if !p.marked {
			return false
		}
	}
	return true
}

// versions is how a wish for one of pins reads.
func versions(pins []pin) string {
	var all []string
	for _, p := range pins {
		all = append(all, p.version)
	}
	sort.Strings(all)
	text := strings.Join(all, " or ")
	if marked(pins) {
		text += " (where its marker holds)"
	}
	return text
}
