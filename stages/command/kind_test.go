package command_test

import (
	"testing"

	"github.com/pdprov/pdprov/stages/command"
	"github.com/pdprov/pdprov/stages/stagetest"
)

func TestFolders(t *testing.T) {
	stagetest.Suite{
		Kind: command.Kind{}, Dir: "testdata", UserText: map[string]bool{"apply.sh": true},
	}.Run(t)
}
