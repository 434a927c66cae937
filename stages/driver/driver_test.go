package driver_test

import (
	"testing"

	"github.com/pdprov/pdprov/internal/apt"
	"github.com/pdprov/pdprov/stages/driver"
	"github.com/pdprov/pdprov/stages/stagetest"
)

func TestFolders(t *testing.T) {
	stagetest.Suite{Kind: driver.Kind{}, Dir: "testdata", EvidenceOnly: apt.Evidence}.Run(t)
}
