package packages_test

import (
	"testing"

	"github.com/pdprov/pdprov/internal/apt"
	packages "github.com/pdprov/pdprov/stages/package"
	"github.com/pdprov/pdprov/stages/stagetest"
)

func TestFolders(t *testing.T) {
	stagetest.Suite{
		Kind: packages.Kind{}, Dir: "testdata",
		EvidenceOnly: apt.Evidence,
	}.Run(t)
}
