// Package apt is what kinds that install packages on Debian and Ubuntu share: the
// questions to dpkg, their reading, who changed a package, and steps with apt-get.
package apt

import (
	"regexp"
	"strings"

	"github.com/pdprov/pdprov/stages/stage"
)

// Debian policy 5.6.7 and 5.6.12, and the architecture that dpkg lets follow a
// name. A name that ends in "-" is refused though policy allows it: apt reads it
// as the wish to remove.
var (
	nameForm    = regexp.MustCompile(`^[a-z0-9][a-z0-9+.-]*[a-z0-9+.](:[a-z0-9][a-z0-9-]*)?$`)
	versionForm = regexp.MustCompile(`^[0-9][0-9A-Za-z.+~:-]*$`)
)

const longestName = 128

// IsName says whether s names a package, with or without an architecture.
func IsName(s string) bool { return len(s) <= longestName && nameForm.MatchString(s) }

// IsVersion says whether s is one version of a package.
func IsVersion(s string) bool { return len(s) <= longestName && versionForm.MatchString(s) }

// Base is a package name without its architecture.
func Base(name string) string { b, _, _ := strings.Cut(name, ":"); return b }

// Resource is what the probes of a package read and what steps with it write.
func Resource(name string) stage.Resource { return stage.Resource("package:" + Base(name)) }

// Package is what a host shows of one package. The version is None when it is not
// installed; Held is "yes" or "no".
type Package struct{ Version, State, Held stage.Value }

// States of a package.
const (
	Installed     = "installed"
	HalfInstalled = "half-installed"
)

const (
	dpkgID    = "dpkg:"
	dpkgLogID = "dpkg.log:"
)

// Evidence says whether a probe's answer only tells who did something.
func Evidence(probeID string) bool { return strings.HasPrefix(probeID, dpkgLogID) }

// Probes asks about packages by name. A host without dpkg answers Absent.
func Probes(names ...string) []stage.Probe {
	var probes []stage.Probe
	asked := map[string]bool{}
	for _, name := range names {
		b := Base(name)
		if asked[b] {
			continue
		}
		asked[b] = true
		p := stage.Probe{Args: []string{b}, Merge: true, Reads: []stage.Resource{Resource(b)}, TimeoutSeconds: 20}
		p.ID, p.Script = dpkgID+b, dpkgScript
		probes = append(probes, p)
		p.ID, p.Script = dpkgLogID+b, logScript
		probes = append(probes, p)
	}
	return probes
}

// Look is one package in the answers to Probes.
func Look(name string, f stage.Facts) Package {
	id := dpkgID + Base(name)
	db, unknown, ok := read(id, f)
	if !ok {
		return AllUnknown(unknown)
	}
	p, err := db.find(name)
	if err != nil {
		return AllUnknown(stage.Value{Reason: err.Error(), Probe: id})
	}
	_, arch, qualified := strings.Cut(name, ":")
	if !qualified {
		arch = db.arch
	}
	p.Version.By = origin(f.Get(dpkgLogID+Base(name)), name, arch, db.arch, p.Version)
	return p
}

// AllUnknown says that nothing is known of a package.
func AllUnknown(v stage.Value) Package { return Package{Version: v, State: v, Held: v} }

func read(id string, f stage.Facts) (dpkgDB, stage.Value, bool) {
	a := f.Get(id)
	switch {
	case a.Outcome == stage.Absent:
		return dpkgDB{}, stage.Value{Reason: "the host has no dpkg-query", Probe: id}, false
	case !a.Looked():
		return dpkgDB{}, a.Unknown(id), false
	}
	db, err := parseDpkg(a.Body)
	if err != nil {
		return dpkgDB{}, stage.Value{Reason: err.Error(), Probe: id}, false
	}
	return db, stage.Value{}, true
}
