package lock_test

import (
	"testing"

	"github.com/pdprov/pdprov/remote/lock"
	"github.com/pdprov/pdprov/stages/stagetest"
)

func TestScriptsAreGoodSh(t *testing.T) {
	for name, text := range lock.Scripts() {
		stagetest.Lint(t, name, text)
	}
}
