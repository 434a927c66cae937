package unit

import (
	"testing"

	"github.com/pdprov/pdprov/stages/command"
	"github.com/pdprov/pdprov/stages/file"
	"github.com/pdprov/pdprov/stages/stage"
	"github.com/pdprov/pdprov/stages/stagetest"
)

func TestFolders(t *testing.T) {
	stagetest.Suite{Kind: Kind{}, Dir: "testdata", Also: stage.Kinds{file.Kind{}, command.Kind{}}}.Run(t)
}
