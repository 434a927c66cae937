package apt

import (
	"path"
	"slices"
	"strings"

	"github.com/pdprov/pdprov/stages/stage"
)

// Named is a package with its name, which ends in ":i386" where the architecture is not the
// host's own, as apt and dpkg write it.
type Named struct {
	Name string
	Package
}

// Patterns asks about all packages whose names fit one of the patterns
// ("nvidia-driver-*"), and who changed them.
func Patterns(patterns ...string) []stage.Probe {
	probes := make([]stage.Probe, 0, 2*len(patterns))
	for _, pattern := range patterns {
		p := stage.Probe{
			Args: []string{pattern}, Merge: true, TimeoutSeconds: 20,
			Reads: []stage.Resource{stage.Resource("packages:" + pattern)},
		}
		p.ID, p.Script = dpkgID+pattern, dpkgScript
		probes = append(probes, p)
		p.ID, p.Script = dpkgLogID+pattern, logScript
		probes = append(probes, p)
	}
	return probes
}

// Match lists the packages that are installed, wholly or in part, and whose names fit
// the pattern, by name. Without a usable answer the value, Unknown, says why.
func Match(pattern string, f stage.Facts) ([]Named, stage.Value, bool) {
	id := dpkgID + pattern
	db, unknown, ok := read(id, f)
	if !ok {
		return nil, unknown, false
	}
	var list []Named
	for _, r := range db.rows {
		if fits, _ := path.Match(pattern, r.name); !fits || !r.installed() {
			continue
		}
		p := r.look()
		p.Version.By = origin(f.Get(dpkgLogID+pattern), r.name, r.arch, db.arch, p.Version)
		name := r.name
		if r.arch != db.arch && r.arch != "all" {
			name += ":" + r.arch
		}
		list = append(list, Named{Name: name, Package: p})
	}
	if len(list) == 0 && !db.missing[pattern] && !db.speaksOf(pattern) {
		return nil, stage.Value{Reason: "dpkg-query's answer says nothing about " + pattern, Probe: id}, false
	}
	slices.SortFunc(list, func(a, b Named) int { return strings.Compare(a.Name, b.Name) })
	return list, stage.Value{}, true
}

// speaksOf says whether there is any row for the pattern, be it of a package that went.
func (db dpkgDB) speaksOf(pattern string) bool {
	return slices.ContainsFunc(db.rows, func(r dpkgRow) bool {
		fits, _ := path.Match(pattern, r.name)
		return fits
	})
}
