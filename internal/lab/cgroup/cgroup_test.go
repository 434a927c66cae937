package cgroup

import (
	"testing"

	"github.com/pdprov/pdprov/internal/lab/wire"
)

func TestOwnerOfAName(t *testing.T) {
	p := wire.Process{Pid: 17, Start: 4711}
	if got, ok := owner(Name(p)); !ok || got != p {
		t.Errorf("owner(%q) = %v, %v", Name(p), got, ok)
	}
	for _, name := range []string{"", "pdlab-", "pdlab-x", "pdlab-1", "pdlab-1-x", "other-1-2", "pdlab-1-2-3"} {
		if p, ok := owner(name); ok {
			t.Errorf("owner(%q) = %v: a directory of somebody else would be swept", name, p)
		}
	}
}
