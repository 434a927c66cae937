package driver_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/pdprov/pdprov/internal/apt"
	"github.com/pdprov/pdprov/internal/dnf"
	"github.com/pdprov/pdprov/internal/gpu"
	"github.com/pdprov/pdprov/stages/driver"
	"github.com/pdprov/pdprov/stages/stage"
	"github.com/pdprov/pdprov/stages/stagetest"
)

// Every host is asked about the packages of both package managers, since which one it has
// is known with the answers only. Those of the other may fail.
func TestFolders(t *testing.T) {
	stagetest.Suite{Kind: driver.Kind{}, Dir: "testdata", EvidenceOnly: func(id string) bool {
		return evidence(id) || dnf.Asks(id)
	}}.Run(t)
}

func TestFoldersWithDNF(t *testing.T) {
	stagetest.Suite{Kind: driver.Kind{}, Dir: "testdata/dnf", EvidenceOnly: func(id string) bool {
		return evidence(id) || strings.HasPrefix(id, "dpkg") || strings.HasPrefix(id, "path /etc/apt/")
	}}.Run(t)
}

// An adopted driver has no repository, so that a stage beside it may have any.
func TestClaimsOnTheRepository(t *testing.T) {
	claims := func(adopt bool, source string) []stage.Resource {
		c := stage.Config{Values: map[string]any{"branch": "580", "adopt": adopt, "source": source}}
		var files []stage.Resource
		for r := range (driver.Kind{}).Claims(stage.Instance{Addr: "driver.gpu", Config: c}) {
			if strings.HasPrefix(string(r), "path:") {
				files = append(files, r)
			}
		}
		return files
	}
	if got := claims(false, "nvidia"); len(got) == 0 {
		t.Error("a driver from NVIDIA's repository does not claim the repository's file")
	}
	if got := append(claims(true, "nvidia"), claims(false, "distribution")...); len(got) != 0 {
		t.Errorf("claimed without use: %v", got)
	}
}

// evidence: who changed a package, what of the GPUs is shown and not compared, and what
// pdprov did itself, which decides only where there are holds or pinning packages.
func evidence(id string) bool {
	basic := slices.ContainsFunc(gpu.Basics(), func(p stage.Probe) bool { return p.ID == id })
	return id == "driver.holds" || apt.Evidence(id) || dnf.Evidence(id) || gpu.Probe(id) && !basic
}
