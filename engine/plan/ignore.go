package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/pdprov/pdprov/hcl/model"
	"github.com/pdprov/pdprov/stages/stage"
)

// useless warns of patterns that match nothing that is compared. What could not be looked
// at might have matched, so a stage counts only where all of its hosts were seen.
func (p *Plan) useless(d *model.Deployment, o Options) (diags hcl.Diagnostics) {
	all, whole := []string{}, true
	for i := range d.Stages {
		st := &d.Stages[i]
		paths, seen := p.compared(st)
		all, whole = append(all, paths...), whole && seen
		for n, pattern := range st.Ignore {
			if seen && vain(pattern, paths) {
				diags = append(diags, st.Diagnostic(stage.Finding{
					Severity: stage.Warning, Path: fmt.Sprintf("ignore[%d]", n),
					Summary: "Nothing to ignore", Detail: vainly(pattern, paths),
				}))
			}
		}
	}
	for _, pattern := range o.Ignore {
		if whole && vain(pattern, all) {
			diags = append(diags, &hcl.Diagnostic{Severity: hcl.DiagWarning, Summary: "Nothing to ignore", Detail: "--ignore: " + vainly(pattern, all)})
		}
	}
	return diags
}

// compared lists the paths of a stage on all of its hosts; seen says that these are all.
func (p *Plan) compared(st *model.Stage) (paths []string, seen bool) {
	missing := len(st.Hosts)
	for _, e := range p.Entries {
		if e.Stage == st.Addr && !e.Orphan() && e.Action != Blocked {
			paths = append(paths, e.Want.Paths()...)
			missing--
		}
	}
	return paths, missing == 0
}

// vain says whether a pattern matches none of the paths that there are.
func vain(pattern string, paths []string) bool {
	return len(paths) > 0 && !slices.ContainsFunc(paths, func(path string) bool { return stage.Ignored(path, []string{pattern}) })
}

// shownPaths is how many paths a sentence lists.
const shownPaths = 20

func vainly(pattern string, paths []string) string {
	paths = slices.Compact(slices.Sorted(slices.Values(paths)))
	return fmt.Sprintf("%q matches nothing that is compared: %s.", pattern, listed(paths))
}

// listed names paths in a sentence, of many the first ones.
func listed(paths []string) string {
	if n := len(paths) - shownPaths; n > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(paths[:shownPaths], ", "), n)
	}
	return strings.Join(paths, ", ")
}
