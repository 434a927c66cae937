package plan_test

import (
	"testing"

	"github.com/pdprov/pdprov/engine/plan"
)

// TestByHidesSecrets: a command that made a value may have had a secret among its words.
func TestByHidesSecrets(t *testing.T) {
	d := deployment(st("a", "by=apt-get install x=hunter2", "text=hunter2", "secret"))
	p, _ := plan.Build(d, kinds, map[string]plan.Seen{"h1": seen("a=old")}, plan.Options{Hosts: []string{"h1"}})
	if by := p.Entries[0].Changes[0].By; by != "apt-get install x=(sensitive)" {
		t.Errorf("%q", by)
	}
}
