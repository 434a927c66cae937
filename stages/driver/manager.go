package driver

import (
	_ "embed"

	"github.com/pdprov/pdprov/internal/dnf"
	"github.com/pdprov/pdprov/internal/osrelease"
	"github.com/pdprov/pdprov/stages/stage"
)

// manager is what a host's package manager does otherwise than another: names, how the
// packages are seen, what keeps them, and steps.
type manager interface {
	// match lists the packages that are installed and fit a pattern.
	match(pattern string, f stage.Facts) ([]part, stage.Value, bool)
	// patterns find the packages of a driver, and others; names tell which are of it.
	patterns() []string
	names() []string
	// sets are the package names that the driver may have, best first; which of them the
	// host's repository offers in the wanted version is asked there by the step, since
	// names change between branches and distributions. Each entry is one set.
	sets(w wish, running string) []string
	// fabricManagers are the names that the fabric manager may have.
	fabricManagers(w wish) []string
	// wantPins and havePins are what keeps upgrades away. Both have the same paths.
	wantPins(w wish, f stage.Facts, s stage.Surface)
	havePins(w wish, h host, f stage.Facts, s stage.Surface)
	// aboutHolds tells of what others hold or lock.
	aboutHolds(w wish, h host, f stage.Facts) []stage.Finding
	// pin and keep are the steps for them before and after the driver is there.
	pin(j job) []stage.Step
	keep(j job) []stage.Step
	// step may call the functions of the package manager and of the driver.
	step(title string, lines ...string) stage.Step
	ready() stage.Step
	// beforeInstall are lines that make the driver's packages visible.
	beforeInstall(w wish) []string
	lock() string     // what work with it locks
	database() string // who knows what is installed, for people
}

// part is one package that is installed.
type part struct {
	Name                 string
	Version, State, Held stage.Value
}

//go:embed driver.sh
var functions string

// withFunctions adds the driver's functions to a step.
func withFunctions(s stage.Step, names []string, ofManager string) stage.Step {
	s.Files = append(s.Files, stage.File{Name: "driver.sh", Data: []byte(functions + constants(names) + ofManager)})
	return s
}

// loadFunctions is the head of a step that calls the driver's functions.
func loadFunctions(lines []string) []string {
	return append([]string{"# shellcheck source=/dev/null", `. "$PDPROV_FILES/driver.sh"`}, lines...)
}

// managerOf is the package manager of a system; false where it is none known here.
func managerOf(sys osrelease.System) (manager, bool) {
	switch {
	case sys.Is("debian", "ubuntu"):
		return withApt{}, true
	case dnf.On(sys):
		return withDNF{streams: hasStreams(sys)}, true
	}
	return withApt{}, false
}
