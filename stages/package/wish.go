package packages

import (
	"fmt"
	"maps"
	"slices"

	aptget "github.com/pdprov/pdprov/internal/apt"
	"github.com/pdprov/pdprov/stages/stage"
)

const (
	anyVersion = "*"
	statePath  = ".state"
	heldPath   = ".held"
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
		if !aptget.IsName(name) {
			findings = append(findings, badName(fmt.Sprintf("absent[%d]", i), name))
		}
	}
	return findings
}

func (w wish) checkPackage(name string) []stage.Finding {
	path := fmt.Sprintf("packages[%q]", name)
	var findings []stage.Finding
	if !aptget.IsName(name) {
		findings = append(findings, badName(path, name))
	}
	if v := w.versions[name]; v != anyVersion && !aptget.IsVersion(v) {
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
