package driver

import (
	"slices"
	"strings"

	"github.com/pdprov/pdprov/internal/apt"
	"github.com/pdprov/pdprov/stages/stage"
)

// prebuilt modules of a distribution have the version of their kernel.
const prebuiltPrefix = "linux-modules-nvidia-"

const (
	fabricManagerName      = "nvidia-fabricmanager"
	olderFabricManagerName = "nvidia-fabric-manager"
	pinningPrefix          = "nvidia-driver-pinning-"
)

func isFabricManager(name string) bool {
	return strings.HasPrefix(name, fabricManagerName) || name == olderFabricManagerName
}

// set is the driver as the packages of the host have it.
type set struct {
	packages []part   // those of the driver
	pinnings []string // nvidia-driver-pinning-*
	unknown  *stage.Value
}

func readSet(m manager, f stage.Facts) set {
	var s set
	for _, pattern := range m.patterns() {
		list, unknown, ok := m.match(pattern, f)
		if !ok {
			return set{unknown: &unknown}
		}
		for _, p := range list {
			switch {
			case strings.HasPrefix(p.Name, pinningPrefix):
				s.pinnings = append(s.pinnings, p.Name)
			case belongs(m.names(), p.Name, p.Version.Text):
				s.packages = append(s.packages, p)
			}
		}
	}
	return s
}

// core are the packages that must have one version: prebuilt modules, fabric managers and
// what stands apart are left aside.
func (s set) core() (list []part) {
	for _, p := range s.packages {
		if !fits(ownVersions, p.Name) && !apart(p) {
			list = append(list, p)
		}
	}
	return list
}

// versions of the core, oldest first.
func (s set) versions() (list []string) {
	for _, p := range s.core() {
		list = appendNew(list, upstream(p.Version.Text))
	}
	slices.SortFunc(list, func(a, b string) int {
		switch {
		case newer(a, b):
			return 1
		case newer(b, a):
			return -1
		}
		return 0
	})
	return list
}

// version is the one version of the core, or those that there are, with who brought the
// packages that are not of the target; None without packages.
func (s set) version(target string) stage.Value {
	if s.unknown != nil {
		return *s.unknown
	}
	versions := s.versions()
	if len(versions) == 0 {
		return stage.Nothing()
	}
	v := stage.Is(strings.Join(versions, " and "))
	for _, p := range s.core() {
		switch who := p.Version.By; {
		case who == "" || upstream(p.Version.Text) == target:
		case len(versions) > 1:
			v.By = who + ": " + p.Name
			return v
		default:
			v.By = who
			return v
		}
	}
	return v
}

// by tells who brought the packages of a version.
func (s set) by(version string) string {
	for _, p := range s.core() {
		if upstream(p.Version.Text) == version && p.Version.By != "" {
			return p.Version.By
		}
	}
	return ""
}

// state is "installed", or what is half done.
func (s set) state() stage.Value {
	if s.unknown != nil {
		return *s.unknown
	}
	if len(s.packages) == 0 {
		return stage.Nothing()
	}
	var bad []string
	for _, p := range s.packages {
		if p.State.Text != apt.Installed {
			bad = appendNew(bad, p.Name+" "+p.State.Text)
		}
	}
	if len(bad) > 0 {
		return stage.Is(strings.Join(bad, ", "))
	}
	return stage.Is(apt.Installed)
}

// toHold are the packages that a hold keeps: what stands apart goes its own way unless
// it has the driver's version. packages_to_hold of the steps says the same of what an
// installation has changed; a test holds one against the other.
func (s set) toHold() (list []part) {
	versions := s.versions()
	for _, p := range s.packages {
		if !apart(p) || slices.Contains(versions, upstream(p.Version.Text)) {
			list = append(list, p)
		}
	}
	return list
}

// held is "all", "none", or which packages are not.
func (s set) held() stage.Value {
	if s.unknown != nil {
		return *s.unknown
	}
	var gaps []string
	list := s.toHold()
	for _, p := range list {
		if p.Held.Text != "yes" {
			gaps = append(gaps, p.Name)
		}
	}
	switch {
	case len(list) == 0:
		return stage.Nothing()
	case len(gaps) == 0:
		return stage.Is("all")
	case len(gaps) == len(list):
		return stage.Is("none")
	}
	return stage.Is("all but " + strings.Join(gaps, ", "))
}

// fabricManager is the version of the fabric manager's package; None when there is none.
func (s set) fabricManager() stage.Value {
	if s.unknown != nil {
		return *s.unknown
	}
	for _, p := range s.packages {
		if isFabricManager(p.Name) {
			v := stage.Is(upstream(p.Version.Text))
			v.By = p.Version.By
			return v
		}
	}
	return stage.Nothing()
}

func appendNew(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}
