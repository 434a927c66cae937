package model

import (
	"slices"
	"testing"

	"github.com/pdprov/pdprov/stages/stage"
)

func TestBelow(t *testing.T) {
	d := &Deployment{}
	for _, addr := range []string{"file.a", `file.a["x.y"]`, `file.a["z"]`, "file.ab", "module.m.file.a", `module.m.module.n.file.a["k"]`, "module.mm.file.a"} {
		d.Stages = append(d.Stages, Stage{Addr: addr})
	}
	for addr, want := range map[string][]string{
		"file.a":             {"file.a", `file.a["x.y"]`, `file.a["z"]`},
		`file.a["z"]`:        {`file.a["z"]`},
		"file":               nil,
		"module.m":           {"module.m.file.a", `module.m.module.n.file.a["k"]`},
		"module.m.module.n":  {`module.m.module.n.file.a["k"]`},
		"module.m.file":      nil,
		"module":             nil,
		`file.a["x`:          nil,
		"module.m.file.a":    {"module.m.file.a"},
		"module.m.module.no": nil,
	} {
		if got := d.Below(addr); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", addr, got, want)
		}
	}
}

// TestHide: a stage may print what it read in a file of another.
func TestHide(t *testing.T) {
	d := &Deployment{Secrets: stage.Spellings("hunter2\nline two"), Stages: []Stage{{
		Addr: "command.x", Config: stage.Config{
			Values: map[string]any{"env": map[string]string{"KEY": `made "of" hunter2`}},
			Secret: map[string]bool{"env": true}, SecretKeys: map[string]bool{},
		},
	}}}
	for text, want := range map[string]string{
		"a hunter2, line two": "a (sensitive), (sensitive)",
		`a hunter2\nline two`: "a (sensitive)",
		`made "of" hunter2`:   "(sensitive)",
		`made \"of\" hunter2`: "(sensitive)",
		"KEY":                 "KEY",
	} {
		if got := d.Hide("command.x", text); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	if got := d.Hide("no such stage", "hunter2"); got != "(sensitive)" {
		t.Error(got)
	}
}

func TestInstanceKnowsWhatItsReferencesReferTo(t *testing.T) {
	d := Deployment{Stages: []Stage{
		{Addr: "a.x", Kind: "a", Refs: []string{"b.x"}},
		{Addr: "b.x", Kind: "b", Refs: []string{"c.x"}},
		{Addr: "c.x", Kind: "c"},
		{Addr: "d.x", Kind: "d"},
	}}
	refs := d.Instance(&d.Stages[0], &Host{}, nil).Refs
	if len(refs) != 2 || refs["b.x"].Kind != "b" || refs["c.x"].Kind != "c" {
		t.Errorf("%+v", refs)
	}
}
