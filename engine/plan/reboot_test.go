package plan_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdprov/pdprov/engine/plan"
)

func rebooting(have string) (*plan.Plan, error) {
	p, diags := plan.Build(
		deployment(st("before"), st("boot", "reboot"), st("behind"), st("other", "hosts=h2")), kinds,
		map[string]plan.Seen{"h1": seen("before=want", "boot="+have, "behind=want"), "h2": seen("other=want")}, plan.Options{},
	)
	if diags.HasErrors() {
		return nil, diags
	}
	return p, nil
}

// TestReboot: it hits the host, is counted, and what is seen behind it is looked at again.
func TestReboot(t *testing.T) {
	p, err := rebooting("old")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range p.Entries {
		got = append(got, e.Stage+" "+string(e.Certainty)+" "+e.ImpactText())
	}
	want := []string{"note.before certain none", "note.boot certain reboot of h1", "note.behind predicted none", "note.other certain none"}
	if d := cmp.Diff(want, got); d != "" || p.Summary.Reboots != 1 {
		t.Errorf("%s\n%+v", d, p.Summary)
	}
	if behind := p.Entries[2]; strings.Join(behind.After, " ") != "note.boot" || strings.Join(behind.Because, " ") != "note.boot" {
		t.Errorf("%+v", behind)
	}
	if calm, err := rebooting("want"); err != nil || calm.Summary.Reboots != 0 || calm.Entries[2].Certainty != plan.Certain {
		t.Errorf("%v %+v", err, calm)
	}
}

// TestSavedPlanKeepsAReboot: a plan that was saved without it is not what would be done.
func TestSavedPlanKeepsAReboot(t *testing.T) {
	build := func(words ...string) *plan.Plan {
		p, _ := plan.Build(deployment(st("a", words...)), kinds, map[string]plan.Seen{"h1": seen("a=old")}, plan.Options{Hosts: []string{"h1"}})
		return p
	}
	salt := make([]byte, 16)
	file, err := plan.Save(build(), plan.Source{}, salt)
	if err != nil {
		t.Fatal(err)
	}
	saved, _ := plan.Load(file)
	if d := saved.Differences(build("reboot")); len(d) != 1 || !strings.Contains(d[0], "now update text: \"old\" -> \"want\", impact reboot of h1") {
		t.Errorf("%q", d)
	}
	file, _ = plan.Save(build("reboot"), plan.Source{}, salt)
	saved, _ = plan.Load(file)
	if d := saved.Differences(build("reboot")); len(d) != 0 {
		t.Errorf("the same plan: %q", d)
	}
}
