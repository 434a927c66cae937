package nixl

import (
	"testing"

	"github.com/pdprov/pdprov/internal/gpu"
	"github.com/pdprov/pdprov/stages/stage"
	"github.com/pdprov/pdprov/stages/stagetest"
	"github.com/pdprov/pdprov/stages/venv"
)

// Facts about the host are only shown, and of the GPUs a host without any needs none.
func TestFolders(t *testing.T) {
	stagetest.Suite{
		Kind: Kind{}, Dir: "testdata", Also: stage.Kinds{venv.Kind{}},
		EvidenceOnly: func(id string) bool { return id == hostID || id == p2pID || id == acsID || gpu.Probe(id) },
	}.Run(t)
}
