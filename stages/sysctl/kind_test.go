package sysctl_test

import (
	"testing"

	"github.com/pdprov/pdprov/stages/stagetest"
	"github.com/pdprov/pdprov/stages/sysctl"
)

func TestFolders(t *testing.T) { stagetest.Run(t, sysctl.Kind{}, "testdata") }
