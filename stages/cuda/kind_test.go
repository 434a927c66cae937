package cuda_test

import (
	"testing"

	"github.com/pdprov/pdprov/internal/apt"
	"github.com/pdprov/pdprov/internal/gpu"
	"github.com/pdprov/pdprov/stages/cuda"
	"github.com/pdprov/pdprov/stages/driver"
	"github.com/pdprov/pdprov/stages/stage"
	"github.com/pdprov/pdprov/stages/stagetest"
)

// Answers about GPUs, the driver and packages that are only warned of do not block a stage.
func TestFolders(t *testing.T) {
	stagetest.Suite{
		Kind: cuda.Kind{}, Dir: "testdata", Also: stage.Kinds{driver.Kind{}},
		EvidenceOnly: func(id string) bool {
			return apt.Evidence(id) || gpu.Probe(id) || id == "dpkg:cuda" || id == "dpkg:nvidia-cuda-toolkit"
		},
	}.Run(t)
}
