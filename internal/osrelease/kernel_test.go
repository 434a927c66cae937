package osrelease

import (
	"testing"

	"github.com/pdprov/pdprov/stages/stage"
)

func TestKernel(t *testing.T) {
	for _, test := range []struct {
		a    stage.Answer
		want stage.Value
	}{
		{stage.Answer{Outcome: stage.Answered, Body: []byte("6.12.48+deb13-amd64\n")}, stage.Is("6.12.48+deb13-amd64")},
		{stage.Answer{Outcome: stage.Answered, Body: []byte("6.8.0 \x1b[2J\n")}, stage.Value{}},
		{stage.Answer{Outcome: stage.Answered}, stage.Value{}},
		{stage.Answer{Outcome: stage.Hung, Detail: "no answer"}, stage.Value{}},
		{stage.Answer{}, stage.Value{}},
	} {
		got := Kernel(stage.Facts{kernelID: test.a})
		if got.State != test.want.State || got.Text != test.want.Text || got.State == stage.Unknown && got.Reason == "" {
			t.Errorf("%+v: %+v", test.a, got)
		}
	}
}
