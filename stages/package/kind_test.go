package packages_test

import (
	"strings"
	"testing"

	packages "github.com/pdprov/pdprov/stages/package"
	"github.com/pdprov/pdprov/stages/stagetest"
)

func TestFolders(t *testing.T) {
	stagetest.Suite{
		Kind: packages.Kind{}, Dir: "testdata",
		EvidenceOnly: func(id string) bool { return strings.HasPrefix(id, "dpkg.log:") },
	}.Run(t)
}
