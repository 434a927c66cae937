package cuda

import (
	"fmt"
	"strings"

	"github.com/pdprov/pdprov/internal/osrelease"
	"github.com/pdprov/pdprov/stages/stage"
)

// linkFindings refuses a toolkit whose folder is a link: packages would be written through it into
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
	m, _ := managerOf(f)
	for _, s := range m.strangers() {
		if v := m.look(s.name, f).Version; v.State == stage.Present {
			warn(s.summary, fmt.Sprintf(s.detail, v.Text))
		}
	}
	if l, _, _ := localOf(f); len(l.compat) > 0 {
		warn("A compat folder is on the linker's path",
			fmt.Sprintf("%s: its libcuda.so hides the driver's, and where it is older programs fail with error 803, unsupported display driver / cuda driver combination. Remove the line and run ldconfig.", strings.Join(l.compat, "; ")))
	}
	return findings
}

// floating is the metapackage cuda, which remove takes away alone.
func floating(remove string) stranger {
	return stranger{
		metapackage, "The metapackage cuda is installed",
		"cuda %s moves on to newer toolkits and drivers at the next upgrade. Remove it (" + remove + " cuda) and keep the packages with a version in their name.",
	}
}

// systemFindings refuses a host without a package manager that is known here.
func systemFindings(f stage.Facts) []stage.Finding {
	if _, ok := managerOf(f); ok {
		return nil
	}
	sys, _, _ := osrelease.Read(f)
	return []stage.Finding{{
		Summary: "Unknown package manager",
		Detail:  fmt.Sprintf("pdprov installs CUDA toolkits with apt (Debian, Ubuntu and what derives from them) and with dnf (RHEL 8 and later, what is built from it, Fedora, Amazon Linux 2023), not on %s.", sys.Pretty),
	}}
}
