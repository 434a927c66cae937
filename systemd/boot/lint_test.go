package boot

import (
	"testing"

	"github.com/pdprov/pdprov/stages/stagetest"
)

func TestScriptsAreGoodSh(t *testing.T) {
	stagetest.Lint(t, "ask", askScript)
	stagetest.Lint(t, "order", orderScript)
}
