package plan_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdprov/pdprov/engine/plan"
	"github.com/pdprov/pdprov/hcl/model"
)

func TestUselessIgnore(t *testing.T) {
	tests := []struct {
		name   string
		stages []model.Stage
		seen   map[string]plan.Seen
		o      plan.Options
		want   []string
	}{
		{"it matches", []model.Stage{st("a", "ignore=text,te*")}, map[string]plan.Seen{"h1": seen("a=x")}, plan.Options{Ignore: []string{"t*"}}, nil},
		{"nothing matches", []model.Stage{st("a", "ignore=txet"), st("b", "ignore=text.*,text")}, map[string]plan.Seen{"h1": seen("a=x", "b-")}, plan.Options{}, []string{
			`"txet" matches nothing that is compared: text.`, `"text.*" matches nothing that is compared: text.`,
		}},
		{"said once of two hosts", []model.Stage{st("a", "hosts=h1,h2", "ignore=txet")}, map[string]plan.Seen{"h1": seen("a=x"), "h2": seen("a-")}, plan.Options{}, []string{
			`"txet" matches nothing that is compared: text.`,
		}},
		{"what was not looked at might match", []model.Stage{st("a", "ignore=txet"), st("b", "hosts=h1,h2", "ignore=txet")}, map[string]plan.Seen{"h1": seen("a!", "b=x")}, plan.Options{Ignore: []string{"txet"}}, nil},
		{"of all stages", []model.Stage{st("a"), st("b")}, map[string]plan.Seen{"h1": seen("a=x", "b-")}, plan.Options{Ignore: []string{"txet"}}, []string{
			`--ignore: "txet" matches nothing that is compared: text.`,
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, diags := plan.Build(deployment(tt.stages...), kinds, tt.seen, tt.o)
			var got []string
			for _, d := range diags {
				got = append(got, d.Detail)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%v\n%s", p.Entries, diff)
			}
		})
	}
}
