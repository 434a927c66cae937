package probe_test

import (
	"testing"

	"github.com/pdprov/pdprov/remote/lock"
	"github.com/pdprov/pdprov/remote/probe"
	"github.com/pdprov/pdprov/stages/stage"
	"github.com/pdprov/pdprov/stages/stagetest"
	"github.com/pdprov/pdprov/systemd/job"
)

func TestTheTextOfALookIsGoodSh(t *testing.T) {
	stagetest.Lint(t, "plumbing", probe.Plumbing)
	stagetest.Lint(t, "look", probe.Batch([]stage.Probe{
		{ID: "a", Script: "echo a", Args: []string{"it's", "$HOME"}, Env: map[string]string{"A": "b c"}},
		{ID: "b", Script: `echo "$@"`, Args: []string{"x"}, Merge: true},
		{ID: "c", Script: `echo "$@"`, Args: []string{"y"}, Merge: true},
		lock.Probe(), job.Probe(),
	}))
}
