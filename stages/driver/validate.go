package driver

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/pdprov/pdprov/internal/nvrepo"
	"github.com/pdprov/pdprov/stages/stage"
)

// withoutProprietary is the first branch that has open modules only.
const withoutProprietary = 620

// Validate looks at the configuration alone.
func (Kind) Validate(in stage.Instance) []stage.Finding {
	c := in.Config
	var findings []stage.Finding
	add := func(path, summary, detail string) {
		findings = append(findings, stage.Finding{Path: path, Summary: summary, Detail: detail})
	}
	branch, version := c.Text("branch"), c.Text("version")
	switch {
	case branch == "" && version == "":
		add("", "No version of the driver", `Set branch = "580" for any version of that branch, or version = "580.95.05" for that one.`)
	case branch != "" && !branchForm.MatchString(branch):
		add("branch", "Not a branch of the driver", fmt.Sprintf("%q is no branch: a branch is the first part of a version, three digits such as 580.", branch))
	case version != "" && !versionForm.MatchString(version):
		add("version", "Not a version of the driver", fmt.Sprintf("%q is no version of the driver such as 580.95.05 (no epoch, no package revision).", version))
	case branch != "" && version != "" && branchOf(version) != branch:
		add("version", "Version of another branch", fmt.Sprintf("%s is no version of branch %s; remove one of the two.", version, branch))
	}
	w := wishOf(c)
	if n, err := strconv.Atoi(w.branch); err == nil && n >= withoutProprietary && w.modules == proprietary {
		add("modules", "No proprietary modules in this branch", fmt.Sprintf("NVIDIA removed the proprietary kernel modules from branch %d on; %s has open ones only.", withoutProprietary, w.branch))
	}
	if n := c.Number("gpus"); c.Has("gpus") && (n < 1 || n > 64 || n != float64(int(n))) {
		add("gpus", "Not a number of GPUs", "gpus is a whole number from 1 to 64.")
	}
	findings = append(findings, withoutEffect(c)...)
	unused := ""
	switch {
	case w.source != nvidia:
		unused = ` belongs to source = "nvidia"; with source = "distribution" the host's own archive is used.`
	case w.adopt:
		unused = " has no use with adopt = true, which installs nothing; remove one of the two."
	}
	if unused != "" {
		for _, a := range nvrepo.Attrs() {
			if c.Has(a.Name) {
				add(a.Name, "Repository without use", a.Name+unused)
			}
		}
		return findings
	}
	return append(findings, nvrepo.Validate(in)...)
}

// withoutEffect warns of attributes about changes, where adopt = true makes none.
func withoutEffect(c stage.Config) (findings []stage.Finding) {
	if !c.Bool("adopt") {
		return nil
	}
	changing := []string{"source", "desktop", "pin", "reboot", "headers", "persistence", "fabric_manager", "secure_boot"}
	for _, a := range (Kind{}).Schema() {
		if slices.Contains(changing, a.Name) && c.Has(a.Name) && c.Values[a.Name] != a.Default {
			findings = append(findings, stage.Finding{
				Severity: stage.Warning, Path: a.Name, Summary: "No effect with adopt = true",
				Detail: a.Name + " is about changes, and adopt = true makes none: the driver is only looked at.",
			})
		}
	}
	return findings
}
