package cuda_test

import (
	"strings"
	"testing"

	"github.com/pdprov/pdprov/internal/apt"
	"github.com/pdprov/pdprov/internal/dnf"
	"github.com/pdprov/pdprov/internal/gpu"
	"github.com/pdprov/pdprov/stages/cuda"
	"github.com/pdprov/pdprov/stages/driver"
	"github.com/pdprov/pdprov/stages/stage"
	"github.com/pdprov/pdprov/stages/stagetest"
)

// Answers about GPUs, the driver and packages that are only warned of do not block a stage.
func TestFolders(t *testing.T) {
	suite("testdata", func(id string) bool { return dnf.Asks(id) || id == "dpkg:cuda" || id == "dpkg:nvidia-cuda-toolkit" }).Run(t)
}

// Every host is asked about the packages of both package managers, of which it has one.
func TestFoldersWithDNF(t *testing.T) {
	suite("testdata/dnf", func(id string) bool {
		return strings.HasPrefix(id, "dpkg:") || id == "rpm:cuda" || id == "dnf.pins"
	}).Run(t)
}

func suite(dir string, only func(id string) bool) stagetest.Suite {
	return stagetest.Suite{
		Kind: cuda.Kind{}, Dir: dir, Also: stage.Kinds{driver.Kind{}},
		EvidenceOnly: func(id string) bool {
			return apt.Evidence(id) || dnf.Evidence(id) || gpu.Probe(id) || only(id)
		},
	}
}
