package manifest_test

import (
	"context"
	"testing"

	"github.com/pdprov/pdprov/engine/manifest"
	"github.com/pdprov/pdprov/remote"
	"github.com/pdprov/pdprov/stages/stage"
	"github.com/pdprov/pdprov/stages/stagetest"
)

// capture keeps the script that a host would be given.
type capture struct{ script string }

func (*capture) Name() string { return "h" }
func (*capture) Close() error { return nil }
func (c *capture) Run(_ context.Context, cmd remote.Command) (remote.Result, error) {
	c.script = cmd.Script
	return remote.Result{}, nil
}

func TestScriptsAreGoodSh(t *testing.T) {
	stagetest.Lint(t, "read", manifest.Probe().Script)
	var c capture
	s := stage.Surface{"a": stage.Is("x")}
	if err := manifest.Write(context.Background(), &c, []manifest.Record{manifest.New("file.a b'", "file", "", s, s, make([]byte, 16))}); err != nil {
		t.Fatal(err)
	}
	stagetest.Lint(t, "write", c.script)
}
