package file

import (
	"testing"

	"github.com/pdprov/pdprov/stages/stagetest"
)

func TestFolders(t *testing.T) { stagetest.Run(t, Kind{}, "testdata") }
