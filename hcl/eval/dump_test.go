package eval_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/pdprov/pdprov/hcl/model"
	"github.com/pdprov/pdprov/stages/stage"
)

// printDiagnostics writes one line for each: place, severity, summary, detail.
func printDiagnostics(diags hcl.Diagnostics) string {
	var b strings.Builder
	for _, d := range diags {
		place, severity := "(no place)", "error"
		if d.Subject != nil {
			place = d.Subject.String()
		}
		if d.Severity == hcl.DiagWarning {
			severity = "warning"
		}
		fmt.Fprintf(&b, "%s: %s: %s; %s\n", place, severity, d.Summary, strings.ReplaceAll(d.Detail, "\n", " | "))
	}
	return b.String()
}

// printDeployment writes everything that a deployment says.
func printDeployment(d *model.Deployment, ranges bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "plain variables %q\n", d.PlainVariables)
	for _, h := range d.Hosts {
		fmt.Fprintf(&b, "host %s (%s)\n  address %q user %q port %d identity %q sudo %t\n  labels %q environment %q\n",
			h.Name, h.Range, h.Address, h.User, h.Port, h.Identity, h.Sudo, h.Labels, h.Environment)
	}
	for _, st := range d.Stages {
		fmt.Fprintf(&b, "stage %s (%s %s)\n  hosts %q refs %q depends_on %q ignore %q\n",
			st.Addr, st.Kind, st.Range, st.Hosts, st.Refs, st.DependsOn, st.Ignore)
		for _, name := range slices.Sorted(maps.Keys(st.Config.Values)) {
			fmt.Fprintf(&b, "  %s%s = %s\n", name, secretWord(st, name), printValue(st.Config.Values[name]))
		}
		if ranges {
			for _, path := range slices.Sorted(maps.Keys(st.Ranges)) {
				fmt.Fprintf(&b, "  at %s: %s\n", path, st.Ranges[path])
			}
		}
	}
	return b.String()
}

func secretWord(st model.Stage, name string) string {
	if st.Config.Secret[name] {
		return " (secret)"
	}
	return ""
}

func printValue(v any) string {
	if f, ok := v.(stage.LocalData); ok {
		return fmt.Sprintf("file %q %q", f.Path, f.Data)
	}
	if n, ok := v.(float64); ok {
		return fmt.Sprintf("%g", n)
	}
	return fmt.Sprintf("%T %#v", v, v)
}
