package packages

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/pdprov/pdprov/stages/stage"
)

const (
	anyVersion     = "*"
	statePath      = ".state"
	heldPath       = ".held"
	stateInstalled = "installed"
)

// wish is a decoded block.
type wish struct {
	versions map[string]string // by package name
	absent   []string          // sorted
	hold     *bool
}

func wishOf(c stage.Config) wish {
	w := wish{versions: c.Map("packages"), absent: slices.Sorted(slices.Values(c.List("absent")))}
	if c.Has("hold") {
		hold := c.Bool("hold")
		w.hold = &hold
	}
	return w
}

func (w wish) names() []string { return slices.Sorted(maps.Keys(w.versions)) }

func (w wish) all() []string {
	all := append(w.names(), w.absent...)
	slices.Sort(all)
	return slices.Compact(all)
}

// Debian policy 5.6.7 and 5.6.12, and the architecture that dpkg lets follow a
// name. A name that ends in "-" is refused though policy allows it: apt reads it
// as the wish to remove.
var (
	nameForm    = regexp.MustCompile(`^[a-z0-9][a-z0-9+.-]*[a-z0-9+.](:[a-z0-9][a-z0-9-]*)?$`)
	versionForm = regexp.MustCompile(`^[0-9][0-9A-Za-z.+~:-]*$`)
)

const longestName = 128

func isName(s string) bool    { return len(s) <= longestName && nameForm.MatchString(s) }
func isVersion(s string) bool { return len(s) <= longestName && versionForm.MatchString(s) }

// base is a package name without its architecture.
func base(name string) string { b, _, _ := strings.Cut(name, ":"); return b }

// Validate looks at names and versions; whether they exist is seen on the host.
func (Kind) Validate(in stage.Instance) []stage.Finding {
	w := wishOf(in.Config)
	var findings []stage.Finding
	if len(w.all()) == 0 {
		findings = append(findings, stage.Finding{
			Summary: "No package named", Detail: `Set "packages", "absent", or both, to at least one package.`,
		})
	}
	for _, name := range []string{"packages", "absent"} {
		if in.Config.Secret[name] {
			findings = append(findings, stage.Finding{
				Path: name, Summary: "Secret among package names",
				Detail: "A sensitive value went into " + name + ", but names and versions of packages are shown and logged.",
			})
		}
	}
	for _, name := range w.names() {
		findings = append(findings, w.checkPackage(name)...)
	}
	for i, name := range in.Config.List("absent") {
		if !isName(name) {
			findings = append(findings, badName(fmt.Sprintf("absent[%d]", i), name))
		}
	}
	return findings
}

func (w wish) checkPackage(name string) []stage.Finding {
	path := fmt.Sprintf("packages[%q]", name)
	var findings []stage.Finding
	if !isName(name) {
		findings = append(findings, badName(path, name))
	}
	if v := w.versions[name]; v != anyVersion && !isVersion(v) {
		findings = append(findings, stage.Finding{
			Path: path, Summary: "Not a version",
			Detail: fmt.Sprintf(`%q is no version of a package. Write "*" for any version, or one exact version as "apt-cache madison %s" prints it; ranges and patterns are not supported.`, v, name),
		})
	}
	if slices.Contains(w.absent, name) {
		findings = append(findings, stage.Finding{
			Path: path, Summary: "Package both wanted and absent",
			Detail: fmt.Sprintf("%s is in packages and in absent; remove it from one of them.", name),
		})
	}
	for _, suffix := range []string{statePath, heldPath} {
		if slices.Contains(w.all(), name+suffix) {
			findings = append(findings, stage.Finding{
				Path: path, Summary: "Package names that cannot share a stage",
				Detail: fmt.Sprintf("%s%s is also what pdprov calls a property of %s. Put the two packages into two stages.", name, suffix, name),
			})
		}
	}
	return findings
}

func badName(path, name string) stage.Finding {
	return stage.Finding{
		Path: path, Summary: "Not a package name",
		Detail: fmt.Sprintf(`%q is no package name: lower-case letters, digits, "+", "-" and ".", at least two characters, not ending in "-", and optionally ":" and an architecture ("libc6:i386").`, name),
	}
}
