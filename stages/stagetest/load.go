package stagetest

import (
	"path/filepath"
	"testing"

	"github.com/hashicorp/hcl/v2"

	"github.com/pdprov/pdprov/hcl/eval"
	"github.com/pdprov/pdprov/hcl/model"
	"github.com/pdprov/pdprov/stages/stage"
)

// load reads the folder's plan file as pdprov does.
func load(t *testing.T, dir string, kinds stage.Kinds) (*model.Deployment, hcl.Diagnostics) {
	t.Helper()
	return eval.Load(eval.Options{Paths: []string{filepath.Join(dir, "plan.hcl")}, Kinds: kinds})
}
