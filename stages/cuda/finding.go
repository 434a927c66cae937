package cuda

import (
	"fmt"
	"strings"

	"github.com/pdprov/pdprov/internal/apt"
	"github.com/pdprov/pdprov/internal/osrelease"
	"github.com/pdprov/pdprov/stages/stage"
)

// linkFindings refuses a toolkit whose folder is a link: apt would write through it into
// another toolkit.
func linkFindings(w wish, f stage.Facts) (findings []stage.Finding) {
	l, _, _ := localOf(f)
	for i, v := range w.versions {
		folder := "/usr/local/cuda-" + v
		if target, link := l.links[folder]; link {
			findings = append(findings, stage.Finding{
				Path: fmt.Sprintf("versions[%d]", i), Summary: "The toolkit's folder is a link",
				Detail: fmt.Sprintf("%s leads to %s, so the packages of %s would be written there. Remove the link.", folder, target, v),
			})
		}
	}
	return findings
}

// neighbours warns of what disturbs a toolkit of an exact version.
func neighbours(f stage.Facts) (findings []stage.Finding) {
	warn := func(summary, detail string) {
		findings = append(findings, stage.Finding{Severity: stage.Warning, Summary: summary, Detail: detail})
	}
	if v := apt.Look(distribution, f).Version; v.State == stage.Present {
		warn("The distribution's CUDA toolkit is installed too",
			fmt.Sprintf("%s %s puts an nvcc of its own on PATH. Builds that do not set CUDA_HOME may take it; remove it if nothing needs it.", distribution, v.Text))
	}
	if v := apt.Look(metapackage, f).Version; v.State == stage.Present {
		warn("The metapackage cuda is installed",
			fmt.Sprintf("cuda %s moves on to newer toolkits and drivers at the next upgrade. Remove it (apt-get remove cuda) and keep the packages with a version in their name.", v.Text))
	}
	if l, _, _ := localOf(f); len(l.compat) > 0 {
		warn("A compat folder is on the linker's path",
			fmt.Sprintf("%s: its libcuda.so hides the driver's, and where it is older programs fail with error 803, unsupported display driver / cuda driver combination. Remove the line and run ldconfig.", strings.Join(l.compat, "; ")))
	}
	return findings
}

// systemFindings refuses a host without apt.
func systemFindings(f stage.Facts) []stage.Finding {
	sys, _, known := osrelease.Read(f)
	if !known || sys.Is("debian", "ubuntu") {
		return nil
	}
	return []stage.Finding{{
		Summary: "Unknown package manager",
		Detail:  fmt.Sprintf("pdprov installs CUDA toolkits with apt (Debian, Ubuntu and what derives from them), not on %s.", sys.Pretty),
	}}
}
