package venv

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/pdprov/pdprov/internal/pyenv"
	"github.com/pdprov/pdprov/stages/stage"
)

// pylock is what of a pylock.toml (PEP 751) decides what is installed.
type pylock struct {
	Version  string `toml:"lock-version"`
	Creator  string `toml:"created-by"`
	Requires string `toml:"requires-python"`
	Packages []lockedPackage
}

type lockedPackage struct {
	Name      string
	Version   string
	Marker    string
	Index     string
	VCS       map[string]any
	Directory map[string]any
	Archive   map[string]any
	Sdist     *lockedFile
	Wheels    []lockedFile
}

type lockedFile struct {
	Name   string
	URL    string
	Path   string
	Hashes map[string]string
}

// isPylock says which of the two formats a lock has, from the name of its file.
func isPylock(file string) bool {
	base := path.Base(file)
	return base == "pylock.toml" || strings.HasPrefix(base, "pylock.") && strings.HasSuffix(base, ".toml")
}

// parsePylock reads a pylock.toml, and which Python it says that it is for.
func parsePylock(data []byte) (l lock, requires string, faults []fault) {
	var p pylock
	if _, err := toml.Decode(string(data), &p); err != nil {
		var at toml.ParseError
		if errors.As(err, &at) {
			return lock{}, "", []fault{{at.Position.Line, "it is no TOML: " + at.Message}}
		}
		return lock{}, "", []fault{{1, "it is no pylock.toml: " + err.Error()}}
	}
	if major, _, _ := strings.Cut(p.Version, "."); major != "1" {
		return lock{}, "", []fault{{1, fmt.Sprintf("lock-version is %q, and pdprov reads version 1", p.Version)}}
	}
	if p.Creator == "" {
		return lock{}, "", []fault{{1, "created-by is missing, without which no installer takes it"}}
	}
	l = lock{}
	lines := headers(string(data))
	for i, pkg := range p.Packages {
		line := 1
		if i < len(lines) {
			line = lines[i]
		}
		if why := pkg.wrong(); why != "" {
			faults = append(faults, fault{line, why})
			continue
		}
		name := pyenv.Normal(pkg.Name)
		l[name] = append(l[name], pin{version: pkg.Version, marked: pkg.Marker != "", line: line, source: pkg.source()})
	}
	if len(l) == 0 && len(faults) == 0 {
		faults = []fault{{1, "it names no distribution"}}
	}
	return l, p.Requires, faults
}

// headers are the lines on which a package begins.
func headers(text string) (lines []int) {
	for i, line := range strings.Split(text, "\n") {
		if strings.ReplaceAll(strings.TrimSpace(line), " ", "") == "[[packages]]" {
			lines = append(lines, i+1)
		}
	}
	return lines
}

// wrong says why a package of the lock cannot be vouched for, "" where it can.
func (p lockedPackage) wrong() string {
	files := slices.Clone(p.Wheels)
	if p.Sdist != nil {
		files = append(files, *p.Sdist)
	}
	switch {
	case !plain(p.Name):
		return fmt.Sprintf("%.80q is no name of a distribution", p.Name)
	case p.VCS != nil || p.Directory != nil || p.Archive != nil:
		return p.Name + " comes from a checkout, a folder or an archive and cannot be compared with what is installed; build a wheel of it and lock that"
	case !plain(p.Version):
		return p.Name + " has no version, so nothing can be compared with it"
	case len(files) == 0:
		return fmt.Sprintf("%s %s has no file", p.Name, p.Version)
	}
	for _, f := range files {
		if !sha256Hash("sha256:" + f.Hashes["sha256"]) {
			return fmt.Sprintf("a file of %s %s has no sha256, so nothing proves what is installed", p.Name, p.Version)
		}
		if f.URL == "" && !path.IsAbs(f.Path) {
			return fmt.Sprintf("a file of %s %s has neither a URL nor an absolute path of the host", p.Name, p.Version)
		}
	}
	return ""
}

// source is everything that tells where a package comes from: indexes are named after
// the CUDA that they are for.
func (p lockedPackage) source() string {
	all := []string{p.Index}
	for _, f := range p.Wheels {
		all = append(all, f.URL, f.Path)
	}
	return strings.Join(all, " ")
}

// locked is a lock read, whatever its format.
type locked struct {
	lock     lock
	pylock   bool
	requires string // requires-python of a pylock.toml
	faults   []fault
}

func readLock(file stage.LocalData) locked {
	if isPylock(file.Path) {
		l, requires, faults := parsePylock(file.Data)
		return locked{l, true, requires, faults}
	}
	l, faults := parseLock(file.Data)
	return locked{lock: l, faults: faults}
}
