package view_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/pdprov/pdprov/cmd/view"
	"github.com/pdprov/pdprov/engine/plan"
	"github.com/pdprov/pdprov/internal/golden"
)

func TestChangedHosts(t *testing.T) {
	entry := func(host string, a plan.Action, impact string) plan.Entry {
		return plan.Entry{Host: host, Action: a, Impact: impact}
	}
	for want, entries := range map[string][]plan.Entry{
		"0 hosts":                       {entry("h1", plan.None, "none"), entry("h2", plan.Blocked, "none")},
		"1 host":                        {entry("h1", plan.Update, "restart"), entry("h2", plan.None, "none")},
		"1 host, and reboot it":         {entry("h1", plan.Update, "reboot"), entry("h1", plan.Update, "reboot")},
		"2 hosts, and reboot 1 of them": {entry("h1", plan.Create, "reboot"), entry("h2", plan.Update, "none")},
	} {
		if got := view.ChangedHosts(&plan.Plan{Entries: entries}); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestGolden(t *testing.T) {
	plain, color, narrow := view.Style{}, view.Style{Color: true}, view.Style{Width: 60}
	showPlan := func(p *plan.Plan, s view.Style) func(io.Writer) error {
		return func(w io.Writer) error { return view.Plan(w, p, s) }
	}
	showAudit := func(p *plan.Plan, s view.Style) func(io.Writer) error {
		return func(w io.Writer) error { return view.Audit(w, p, s) }
	}
	for name, show := range map[string]func(io.Writer) error{
		"plan.txt":         showPlan(sample(), plain),
		"plan.color.txt":   showPlan(sample(), color),
		"plan.narrow.txt":  showPlan(sample(), narrow),
		"plan.calm.txt":    showPlan(calm(), plain),
		"audit.txt":        showAudit(sample(), plain),
		"audit.narrow.txt": showAudit(sample(), narrow),
		"audit.calm.txt":   showAudit(calm(), plain),
		"plan.json":        func(w io.Writer) error { return view.JSON(w, view.PlanDocument(sample(), nil)) },
		"audit.json":       func(w io.Writer) error { return view.JSON(w, view.AuditDocument(sample(), nil)) },
		"plan.calm.json":   func(w io.Writer) error { return view.JSON(w, view.PlanDocument(calm(), nil)) },
	} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			if err := show(&b); err != nil {
				t.Fatal(err)
			}
			golden.Check(t, "testdata/"+name, b.Bytes())
			if bytes.Contains(b.Bytes(), []byte("s3cr3t")) {
				t.Error("a secret is shown")
			}
		})
	}
}

// TestFindingIsToldOnce: the diagnostics hold the whole of it, the plan its name.
func TestFindingIsToldOnce(t *testing.T) {
	p := &plan.Plan{Hosts: []plan.Host{{Name: "h1", State: plan.HostOK}}, Entries: []plan.Entry{{
		Host: "h1", Stage: "driver.gpu", Action: plan.Blocked, Certainty: plan.Certain, Impact: "none",
		Evidence: []plan.Evidence{{Probe: "gpus", Outcome: plan.FindingOutcome, Summary: "Another number of GPUs", Detail: "Another number of GPUs. The plan says 4, on the PCI bus are 8."}},
	}}}
	var b bytes.Buffer
	if err := view.Plan(&b, p, view.Style{}); err != nil {
		t.Fatal(err)
	}
	if got := b.String(); !strings.Contains(got, "\n      impossible: Another number of GPUs (see the error)\n") || strings.Contains(got, "PCI bus") {
		t.Error(got)
	}
}
