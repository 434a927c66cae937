package baseroot

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

const defaultMirror = "http://deb.debian.org/debian"

// mirrors are the archives that the base root is built from and its hosts use.
type mirrors struct {
	main     string
	security string
}

// findMirrors prefers PDLAB_MIRROR, then this machine's own Debian mirror, then
// Debian's address for everybody.
func findMirrors() mirrors {
	found := fromSources(readSources())
	if m := os.Getenv("PDLAB_MIRROR"); m != "" {
		found = mirrors{main: strings.TrimRight(m, "/")}
	}
	if found.main == "" {
		found.main = defaultMirror
	}
	if found.security == "" {
		found.security = strings.TrimSuffix(found.main, "/debian") + "/debian-security"
	}
	return found
}

// Mirror is the Debian archive that hosts are built from and use.
func Mirror() string { return findMirrors().main }

// readSources returns this machine's apt sources, of both formats; a file that
// cannot be read is as if it were not there.
func readSources() string {
	files, _ := filepath.Glob("/etc/apt/sources.list.d/*.sources")
	lists, _ := filepath.Glob("/etc/apt/sources.list.d/*.list")
	files = append(append(files, "/etc/apt/sources.list"), lists...)
	var all strings.Builder
	for _, f := range files {
		text, _ := os.ReadFile(f)
		all.Write(text)
		all.WriteString("\n")
	}
	return all.String()
}

var address = regexp.MustCompile(`https?://\S+`)

// fromSources picks the first Debian archive and the first security archive; those
// of other vendors are passed over.
func fromSources(sources string) mirrors {
	var m mirrors
	for line := range strings.Lines(sources) {
		if strings.HasPrefix(strings.TrimSpace(line), "#") {
			continue
		}
		uri := strings.TrimRight(address.FindString(line), "/")
		switch path.Base(uri) {
		case "debian":
			m.main = first(m.main, uri)
		case "debian-security":
			m.security = first(m.security, uri)
		}
	}
	return m
}

func first(have, next string) string {
	if have != "" {
		return have
	}
	return next
}

// list is the sources.list of the hosts.
func (m mirrors) list() string {
	return "deb " + m.main + " " + suite + " main\n" +
		"deb " + m.main + " " + suite + "-updates main\n" +
		"deb " + m.security + " " + suite + "-security main\n"
}
