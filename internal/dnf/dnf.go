// Package dnf is what kinds that install packages on systems with dnf share (RHEL and
// what is built from it, Fedora, Amazon Linux): the questions to rpm, their reading,
// what keeps a version, and steps with dnf.
package dnf

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/pdprov/pdprov/internal/osrelease"
	"github.com/pdprov/pdprov/stages/stage"
)

// Package is one package that a host has. Its version has an epoch where that is not
// 0 ("3:580.95.05-1.el9"); Held is "yes" where a version lock names this very version.
type Package struct {
	Name                 string
	Version, State, Held stage.Value
}

// States of a package.
const (
	Installed     = "installed"
	HalfInstalled = "half-installed" // two versions, as a transaction leaves it that was cut off
)

const (
	rpmID = "rpm:"
	logID = "dnf.rpm.log:"
)

// Evidence says whether a probe's answer only tells who did something.
func Evidence(probeID string) bool { return strings.HasPrefix(probeID, logID) }

// Asks says whether a probe is one of this package's.
func Asks(probeID string) bool {
	return Evidence(probeID) || strings.HasPrefix(probeID, rpmID) || probeID == pinsID
}

// On says whether a system has dnf: its predecessor yum, which RHEL 7 and Amazon
// Linux 2 have, is not known here.
func On(sys osrelease.System) bool {
	major, _, _ := strings.Cut(sys.Version, ".")
	switch {
	case !sys.Is("fedora", "rhel", "centos", "amzn"):
		return false
	case len(sys.IDs) > 0 && sys.IDs[0] == "amzn":
		return len(major) == 4 && major > "2020" // 2023; "2" and "2018.03" have yum
	}
	return len(major) > 1 || major >= "8"
}

// Patterns asks about all packages whose names fit one of the patterns ("kmod-nvidia-*"),
// who changed them, and what keeps their versions.
func Patterns(patterns ...string) []stage.Probe {
	var probes []stage.Probe
	for _, pattern := range patterns {
		p := stage.Probe{
			Args: []string{pattern}, Merge: true, TimeoutSeconds: 20,
			Reads: []stage.Resource{stage.Resource("packages:" + pattern)},
		}
		p.ID, p.Script = rpmID+pattern, rpmScript
		probes = append(probes, p)
		p.ID, p.Script = logID+pattern, logScript
		probes = append(probes, p)
	}
	return append(probes, pinsProbe())
}

// Probes asks about packages by name, who changed them, and what keeps their versions. A
// host without rpm answers Absent.
func Probes(names ...string) []stage.Probe {
	probes := Patterns(names...)
	for i, p := range probes {
		if len(p.Args) == 1 {
			probes[i].Reads = []stage.Resource{stage.Resource("package:" + p.Args[0])}
		}
	}
	return probes
}

// Look is one package in the answers to Probes. Its version is None when it is not
// installed.
func Look(name string, f stage.Facts) Package {
	list, unknown, ok := Match(name, f)
	switch {
	case !ok:
		return Package{Name: name, Version: unknown, State: unknown, Held: unknown}
	case len(list) == 0:
		p := Package{Name: name, Version: stage.Nothing(), State: stage.Nothing(), Held: stage.Is("no")}
		p.Version.By = removal(f.Get(logID+name), name)
		return p
	}
	return list[len(list)-1]
}

// Match lists the packages that are installed and whose names fit the pattern, by name.
// Without a usable answer the value, Unknown, says why.
func Match(pattern string, f stage.Facts) ([]Package, stage.Value, bool) {
	id := rpmID + pattern
	a := f.Get(id)
	switch {
	case a.Outcome == stage.Absent:
		return nil, stage.Value{Reason: "the host has no rpm, or rpm has no database", Probe: id}, false
	case !a.Looked():
		return nil, a.Unknown(id), false
	}
	db, err := parseRPM(a.Body)
	if err == nil && !db.asked[pattern] {
		err = fmt.Errorf("rpm's answer says nothing about %s", pattern)
	}
	if err != nil {
		return nil, stage.Value{Reason: err.Error(), Probe: id}, false
	}
	pins := readPins(f)
	var list []Package
	for _, r := range db.rows {
		if fits, _ := path.Match(pattern, r.name); !fits {
			continue
		}
		p := Package{Name: r.name, Version: stage.Is(r.evr()), State: stage.Is(Installed), Held: pins.held(r)}
		if db.twice[r.name+"."+r.arch] {
			p.State = stage.Is(HalfInstalled)
		}
		p.Version.By = r.origin(f.Get(logID + pattern))
		list = append(list, p)
	}
	slices.SortStableFunc(list, func(a, b Package) int { return strings.Compare(a.Name, b.Name) })
	return list, stage.Value{}, true
}
