package nvrepo

import (
	"fmt"
	"strings"
)

// Files of the repository on a host with dnf.
const (
	RepoFile   = "/etc/yum.repos.d/pdprov-nvidia.repo"
	RPMKeyFile = "/etc/pki/rpm-gpg/pdprov-nvidia.asc"
)

// repoID is dnf's name for the repository.
const repoID = "pdprov-nvidia"

// section is the repository as dnf reads it. Packages are checked, each by itself; the
// lists are not, which NVIDIA's own .repo files do not ask for either.
func (r Repository) section() string {
	return fmt.Sprintf("# written by pdprov\n[%s]\nname=NVIDIA (pdprov)\nbaseurl=%s\nenabled=1\ngpgcheck=1\nrepo_gpgcheck=0\ngpgkey=file://%s\n",
		repoID, r.URL, RPMKeyFile)
}

// sections reads a .repo file: the addresses of each repository, in baseurl, which may go
// on in lines that begin with a blank, or as metalink or mirrorlist. One without any
// address stands there by its name, as it is lost too when the file is renamed.
func sections(file, text string) (list []entry) {
	var found []entry
	enabled, field := true, ""
	name := entry{}
	flush := func() {
		if len(found) == 0 && name.line > 0 {
			found = []entry{name}
		}
		list = append(list, closed(found, enabled)...)
		found, enabled, field = nil, true, ""
	}
	for i, line := range strings.Split(text, "\n") {
		switch {
		case strings.TrimSpace(line) == "", strings.HasPrefix(line, "#"), strings.HasPrefix(line, ";"):
			continue
		case strings.HasPrefix(line, "["):
			flush()
			name = entry{file: file, line: i + 1, url: strings.TrimSpace(line), idle: true}
			continue
		}
		value := line
		if line[0] != ' ' && line[0] != '\t' {
			field, value, _ = strings.Cut(line, "=")
			field = strings.ToLower(strings.TrimSpace(field))
		}
		switch field {
		case "baseurl":
			for _, word := range strings.Fields(strings.ReplaceAll(value, ",", " ")) {
				found = append(found, entry{file: file, line: i + 1, url: word})
			}
		case "metalink", "mirrorlist":
			found = append(found, entry{file: file, line: i + 1, url: strings.TrimSpace(value)})
		case "enabled":
			v := strings.ToLower(strings.TrimSpace(value))
			enabled = v != "0" && v != "no" && v != "false" && v != "off"
		}
	}
	flush()
	return list
}
