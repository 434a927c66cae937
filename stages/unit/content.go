package unit

import (
	"fmt"
	"strings"

	"github.com/pdprov/pdprov/stages/stage"
	"github.com/pdprov/pdprov/systemd/unit"
)

// problems are what keeps a unit file from being read as it was meant.
func problems(name, content string) (unit.File, []stage.Finding) {
	file, bad := unit.Parse(content)
	var found []stage.Finding
	if len(bad) == 0 {
		bad = unit.Lint(name, file)
	} else {
		bad[0].Refused = true
		bad = bad[:1]
	}
	for _, p := range bad {
		f := stage.Finding{Path: "content", Summary: "Not a unit file", Detail: p.Text}
		if p.Line > 0 {
			f.Detail = fmt.Sprintf("Line %d: %s", p.Line, p.Text)
		}
		if !p.Refused {
			f.Summary, f.Severity = "A part of a unit file that has no effect", stage.Warning
		}
		found = append(found, f)
	}
	return file, found
}

// installs says whether the unit can be enabled.
func installs(f unit.File) bool {
	for _, key := range []string{"WantedBy", "RequiredBy", "UpheldBy", "Alias", "Also"} {
		if len(f.All("Install", key)) > 0 {
			return true
		}
	}
	return false
}

// ends says whether the unit is inactive once its command has ended.
func ends(name string, f unit.File) bool {
	return strings.HasSuffix(name, ".service") && f.Get("Service", "Type") == "oneshot" && !unit.Bool(f.Get("Service", "RemainAfterExit"))
}
