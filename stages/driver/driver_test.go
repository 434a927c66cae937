package driver_test

import (
	"slices"
	"testing"

	"github.com/pdprov/pdprov/internal/apt"
	"github.com/pdprov/pdprov/internal/gpu"
	"github.com/pdprov/pdprov/stages/driver"
	"github.com/pdprov/pdprov/stages/stage"
	"github.com/pdprov/pdprov/stages/stagetest"
)

func TestFolders(t *testing.T) {
	stagetest.Suite{Kind: driver.Kind{}, Dir: "testdata", EvidenceOnly: evidence}.Run(t)
}

// evidence: who changed a package, and what of the GPUs is shown and not compared.
func evidence(id string) bool {
	basic := slices.ContainsFunc(gpu.Basics(), func(p stage.Probe) bool { return p.ID == id })
	return apt.Evidence(id) || gpu.Probe(id) && !basic
}
