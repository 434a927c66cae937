package job_test

import (
	"context"
	"strings"
	"testing"

	"github.com/pdprov/pdprov/remote"
	"github.com/pdprov/pdprov/remote/local"
	"github.com/pdprov/pdprov/systemd/job"
)

// moved is this machine with systemd's folder elsewhere.
type moved struct {
	remote.Host
	to string
}

func (m moved) Run(ctx context.Context, c remote.Command) (remote.Result, error) {
	c.Script = strings.ReplaceAll(c.Script, "/run/systemd/system", m.to)
	return m.Host.Run(ctx, c)
}

func TestAble(t *testing.T) {
	h, err := local.New("here", false)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	dir := t.TempDir()
	if err := job.Able(t.Context(), moved{h, dir}); err != nil {
		t.Errorf("with systemd: %v", err)
	}
	if err := job.Able(t.Context(), moved{h, dir + "/none"}); err == nil || !strings.Contains(err.Error(), "here: this host does not run systemd") {
		t.Errorf("without systemd: %v", err)
	}
}
