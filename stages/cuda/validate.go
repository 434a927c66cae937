package cuda

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/pdprov/pdprov/internal/nvrepo"
	"github.com/pdprov/pdprov/stages/stage"
)

var versionForm = regexp.MustCompile(`^[1-9][0-9]?\.[0-9]{1,2}$`)

// Validate looks at the versions; whether the repository has them is seen on the host.
func (Kind) Validate(in stage.Instance) []stage.Finding {
	w := wishOf(in.Config)
	findings := nvrepo.Validate(in)
	if len(w.versions) == 0 {
		findings = append(findings, stage.Finding{
			Path: "versions", Summary: "No toolkit named", Detail: `Set versions to at least one toolkit, such as ["13.0"].`,
		})
	}
	for i, v := range w.versions {
		path := fmt.Sprintf("versions[%d]", i)
		switch {
		case !versionForm.MatchString(v):
			findings = append(findings, stage.Finding{
				Path: path, Summary: "Not an exact minor version",
				Detail: fmt.Sprintf(`%q names no toolkit that stays what it is: packages such as cuda, cuda-toolkit and cuda-toolkit-13 move on to newer toolkits by themselves, and cuda brings a driver along. Write major and minor version and nothing else, such as "13.0".`, v),
			})
		case slices.Contains(w.versions[:i], v):
			findings = append(findings, stage.Finding{Path: path, Summary: "Toolkit named twice", Detail: v + " is listed already; remove one of the two."})
		}
	}
	if w.standard != "" && !slices.Contains(w.versions, w.standard) {
		findings = append(findings, stage.Finding{
			Path: "default", Summary: "Default that the stage does not install",
			Detail: fmt.Sprintf("default is %q, which is not among versions. Add it there, or choose one of them.", w.standard),
		})
	}
	return findings
}
