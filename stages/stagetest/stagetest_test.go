package stagetest_test

import (
	"strings"
	"testing"

	"github.com/pdprov/pdprov/engine/plan"
	"github.com/pdprov/pdprov/hcl/model"
	"github.com/pdprov/pdprov/stages/stage"
	"github.com/pdprov/pdprov/stages/stagetest"
)

// probed is a kind with one probe whose body is the value; each field makes it break
// one promise.
type probed struct {
	failedIsAbsent, wishShrinks, mute, unstable, otherProbe, fragile bool
	calls                                                            *int
}

func (probed) Name() string                            { return "probed" }
func (probed) Summary() string                         { return "A kind of the tests." }
func (probed) Schema() []stage.Attr                    { return nil }
func (probed) Validate(stage.Instance) []stage.Finding { return nil }
func (probed) Probes(stage.Instance) []stage.Probe {
	return []stage.Probe{{ID: "p", Script: "echo x", Reads: []stage.Resource{"path:/x"}}}
}

func (k probed) Want(_ stage.Instance, f stage.Facts) (stage.Surface, []stage.Finding) {
	if k.wishShrinks && !f.Get("p").Looked() {
		return stage.Surface{}, nil
	}
	return stage.Surface{"x": stage.Is("wanted")}, nil
}

func (k probed) Have(_ stage.Instance, f stage.Facts) stage.Surface {
	a := f.Get("p")
	*k.calls++
	switch {
	case k.mute:
		return stage.Surface{"x": stage.Is("always")}
	case a.Looked() && k.fragile && !strings.HasPrefix(string(a.Body), "o"):
		panic("that was not expected")
	case k.unstable:
		return stage.Surface{"x": stage.Is(strings.Repeat("x", *k.calls))}
	case !a.Looked() && k.failedIsAbsent:
		return stage.Surface{"x": stage.Nothing()}
	case !a.Looked() && k.otherProbe:
		return stage.Surface{"x": a.Unknown("q")}
	case !a.Looked():
		return stage.Surface{"x": a.Unknown("p")}
	}
	return stage.Surface{"x": stage.Is(string(a.Body))}
}

func (probed) Work(stage.Instance, stage.Facts, []stage.Change) (stage.Work, []stage.Finding) {
	return stage.Work{Steps: []stage.Step{{Title: "do", Script: "true"}}}, nil
}

func TestBrokenPromisesAreFound(t *testing.T) {
	d := &model.Deployment{
		Hosts:  []model.Host{{Name: "h"}},
		Stages: []model.Stage{{Addr: "probed.a", Kind: "probed", Hosts: []string{"h"}}},
	}
	seen := map[string]plan.Seen{"h": {State: plan.HostOK, Facts: stage.Facts{
		"p": {Outcome: stage.Answered, Body: []byte("old")},
	}}}
	for want, k := range map[string]probed{
		"":                                {},
		"is seen as (absent), was old":    {failedIsAbsent: true},
		"the wish changed from [x] to []": {wishShrinks: true},
		"no wanted path is unknown":       {mute: true},
		"the same input gave two plans":   {unstable: true},
		`names the probe "q"`:             {otherProbe: true},
		"panic that was not expected":     {fragile: true},
	} {
		k.calls = new(int)
		problems := strings.Join(stagetest.Suite{Kind: k}.Problems(d, seen), "\n")
		if (problems == "") != (want == "") || !strings.Contains(problems, want) {
			t.Errorf("want %q, found %q", want, problems)
		}
	}
}
