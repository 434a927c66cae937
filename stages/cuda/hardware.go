package cuda

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pdprov/pdprov/internal/gpu"
	"github.com/pdprov/pdprov/stages/stage"
)

// number reads "12.8" as 12008, so that versions can be compared.
func number(version string) int {
	major, minor, _ := strings.Cut(version, ".")
	a, _ := strconv.Atoi(major)
	b, _ := strconv.Atoi(minor)
	return a*1000 + b
}

// blackwell is the compute capability from which GPUs are of the Blackwell family, whose
// first toolkit is 12.8 and whose first driver is 570.
const blackwell = 10000

// floor is the branch of the oldest driver on which programs of a toolkit run.
func floor(version string, newest int) int {
	switch n := number(version); {
	case n >= 13000:
		return 580
	case n >= 12000 && newest >= blackwell:
		return 570
	case n >= 12000:
		return 525
	default:
		return 450
	}
}

// hardwareFindings holds the toolkits against the host's GPUs and driver.
func hardwareFindings(in stage.Instance, f stage.Facts) []stage.Finding {
	w, box := wishOf(in.Config), gpu.Read(f)
	newest, doubt := capability(box)
	findings := w.capabilityFindings(newest, doubt)
	if !in.Config.Bool("driver_check") {
		return findings
	}
	d := driverOf(in, box)
	if d.doubt != "" {
		return append(findings, stage.Finding{Severity: stage.Warning, Path: "versions", Summary: "The driver was not held against the toolkits", Detail: d.doubt})
	}
	for i, v := range w.versions {
		if least := floor(v, newest); d.branch != 0 && d.branch < least {
			findings = append(findings, stage.Finding{
				Path: fmt.Sprintf("versions[%d]", i), Summary: "The driver is too old for this toolkit",
				Detail: fmt.Sprintf("CUDA %s needs a driver of branch %d or later, and %s. Install a newer driver first (stage \"driver\"), choose an older toolkit, or set driver_check = false to install it all the same.", v, least, d.words),
			})
		}
	}
	return findings
}

// capability is the newest compute capability among the GPUs, and why it is not known
// of all of them, "" when it is.
func capability(box gpu.Box) (newest int, doubt string) {
	for _, g := range box.GPUs {
		switch {
		case g.Capability.State == stage.Present:
			newest = max(newest, number(g.Capability.Text))
		case doubt == "":
			doubt = g.PCI + ": " + g.Capability.Reason
		}
	}
	if doubt == "" && box.Count.State == stage.Unknown && len(box.GPUs) == 0 {
		doubt = box.Count.Reason
	}
	return newest, doubt
}

// capabilityFindings: a toolkit before 12.8 compiles nothing for Blackwell. It may stand
// beside one that does.
func (w wish) capabilityFindings(newest int, doubt string) (findings []stage.Finding) {
	enough := func(v string) bool { return number(v) >= 12008 }
	for i, v := range w.versions {
		path := fmt.Sprintf("versions[%d]", i)
		switch {
		case enough(v):
		case newest >= blackwell:
			finding := stage.Finding{
				Path: path, Summary: "The toolkit does not know the host's GPUs",
				Detail: fmt.Sprintf("The host has GPUs of compute capability %d.%d, and nvcc compiles for them from CUDA 12.8 on; %s ends with \"Unsupported gpu architecture\". Ask for 12.8 or later.", newest/1000, newest%1000, v),
			}
			if slices.ContainsFunc(w.versions, enough) {
				finding.Severity = stage.Warning
			}
			findings = append(findings, finding)
		case doubt != "":
			findings = append(findings, stage.Finding{
				Severity: stage.Warning, Path: path, Summary: "Whether the toolkit knows the host's GPUs is unknown",
				Detail: fmt.Sprintf("CUDA %s compiles nothing for Blackwell GPUs, and whether the host has such is not known: %s", v, doubt),
			})
		}
	}
	return findings
}

// driver is what toolkits are held against.
type driver struct {
	branch int    // 0: the host has no GPU and no driver
	words  string // whose branch that is
	doubt  string // why it is not known
}

// driverOf is the driver that will be there: that of a driver stage which this plan still
// carries out, else the one that the host shows.
func driverOf(in stage.Instance, box gpu.Box) driver {
	addr := in.Config.Text("driver")
	if r, ok := in.Refs[addr]; ok && in.Pending[addr] {
		wanted := r.Config.Text("version")
		if wanted == "" {
			wanted = r.Config.Text("branch")
		}
		return driver{branch: number(wanted) / 1000, words: addr + " installs " + wanted}
	}
	for other := range in.Pending {
		if isDriver(other) {
			return driver{doubt: "This plan changes the driver with " + other + ", which this stage does not name: set driver = stage." + other + " so that the toolkits are held against what it installs."}
		}
	}
	return shown(box)
}

// isDriver says whether an address is that of a driver stage, also in a module.
func isDriver(addr string) bool {
	return strings.HasPrefix(addr, "driver.") || strings.HasPrefix(addr, "module.") && strings.Contains(addr, ".driver.")
}

// shown is the driver that the host shows: the loaded one decides, and without one the
// installed library, which comes with the driver of the next boot.
func shown(box gpu.Box) driver {
	d := box.Driver
	for _, s := range []struct {
		v    stage.Value
		what string
	}{{d.Loaded, "is loaded"}, {d.Library, "is installed"}, {d.Reported, "is what nvidia-smi reports"}} {
		if s.v.State == stage.Present {
			return driver{branch: number(s.v.Text) / 1000, words: "driver " + s.v.Text + " " + s.what}
		}
	}
	const consequence = "nvcc works without a driver, and the programs that it makes do not run."
	for _, v := range []stage.Value{d.Loaded, d.Library, box.Count} {
		if v.State == stage.Unknown {
			return driver{doubt: "Which driver the host has is unknown: " + v.Reason + ". Programs of a toolkit do not run on a driver that is older than the toolkit allows."}
		}
	}
	if box.Count.Text == "0" {
		return driver{}
	}
	return driver{doubt: "The host has GPUs and no NVIDIA driver: " + consequence}
}
