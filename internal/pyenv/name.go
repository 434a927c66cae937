package pyenv

import (
	"path"
	"strings"
)

// Normal is a distribution's name as PEP 503 compares it.
func Normal(name string) string {
	parts := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r == '-' || r == '_' || r == '.' })
	return strings.Join(parts, "-")
}

// SameVersion compares as pip does where it matters: case, a trailing ".0", and
// separators of a local version.
func SameVersion(a, b string) bool { return canonical(a) == canonical(b) }

func canonical(v string) string {
	v = strings.TrimPrefix(strings.ToLower(v), "v")
	release, local, has := strings.Cut(v, "+")
	for strings.HasSuffix(release, ".0") {
		release = strings.TrimSuffix(release, ".0")
	}
	if has {
		release += "+" + strings.NewReplacer("_", ".", "-", ".").Replace(local)
	}
	return release
}

// split reads a folder's name, NAME-VERSION.dist-info, with the name normalised. A form
// of folder that no wheel has stands behind the version.
func split(folder string) (name, version string) {
	suffix := path.Ext(folder)
	name, version, _ = strings.Cut(strings.TrimSuffix(folder, suffix), "-")
	if suffix != ".dist-info" {
		version = strings.TrimSpace(version + " (" + strings.TrimPrefix(suffix, ".") + ")")
	}
	return Normal(name), version
}
