package driver

import (
	_ "embed"
	"strings"

	"github.com/pdprov/pdprov/internal/apt"
	"github.com/pdprov/pdprov/internal/hostfile"
	"github.com/pdprov/pdprov/internal/posixsh"
	"github.com/pdprov/pdprov/stages/stage"
)

// withApt is the manager of Debian, Ubuntu and what derives from them.
type withApt struct{}

//go:embed driver-apt.sh
var aptFunctions string

func aptPatterns() []string {
	return []string{"cuda-drivers*", "libcuda1", "libnvidia-*", "linux-modules-nvidia-*", "nvidia-*", "xserver-xorg-video-nvidia*"}
}

// aptNames are the names of NVIDIA's repository, Ubuntu's and Debian's.
var aptNames = []string{
	"cuda-drivers*", "libcuda1", "libnvidia-*", "linux-modules-nvidia-*", "nvidia-alternative",
	"nvidia-compute-utils*", "nvidia-cuda-mps", "nvidia-detect", "nvidia-dkms-*", "nvidia-driver",
	"nvidia-driver-*", "nvidia-egl-*", "nvidia-fabricmanager*", "nvidia-fabric-manager",
	"nvidia-firmware-*", "nvidia-headless-*", "nvidia-imex*", "nvidia-kernel-*", "nvidia-legacy-*",
	"nvidia-libopencl1", "nvidia-modprobe", "nvidia-open", "nvidia-open-*", "nvidia-opencl-*",
	"nvidia-persistenced", "nvidia-powerd", "nvidia-settings*", "nvidia-smi", "nvidia-suspend-common",
	"nvidia-tesla-*", "nvidia-utils-*", "nvidia-vdpau-driver", "nvidia-vulkan-*", "nvidia-xconfig",
	"xserver-xorg-video-nvidia*",
}

func (withApt) patterns() []string { return aptPatterns() }
func (withApt) names() []string    { return aptNames }
func (withApt) lock() string       { return "apt" }
func (withApt) database() string   { return "dpkg" }
func (withApt) ready() stage.Step  { return apt.Ready() }

func (withApt) beforeInstall(wish) []string { return nil }

func (withApt) match(pattern string, f stage.Facts) (parts []part, unknown stage.Value, ok bool) {
	list, unknown, ok := apt.Match(pattern, f)
	for _, p := range list {
		parts = append(parts, part{p.Name, p.Version, p.State, p.Held})
	}
	return parts, unknown, ok
}

func (withApt) step(title string, lines ...string) stage.Step {
	return withFunctions(apt.Step(title, loadFunctions(lines)...), aptNames, "driver_pinning='"+recordDir+"/"+pinningFile+"'\n"+aptFunctions)
}

func (withApt) sets(w wish, running string) []string {
	if w.source == nvidia {
		return w.nvidiaSets()
	}
	return w.distributionSets(running)
}

func (withApt) fabricManagers(w wish) []string {
	return []string{fabricManagerName, fabricManagerName + "-" + w.branch}
}

func (withApt) wantPins(w wish, _ stage.Facts, s stage.Surface) {
	s[heldPath], s[unattendedSurface], s[pinningPath] = stage.Nothing(), stage.Nothing(), stage.Nothing()
	switch w.pin {
	case byHold:
		s[heldPath], s[unattendedSurface] = stage.Is("all"), stage.Is(unattendedText)
	case byPackage:
		s[pinningPath] = stage.Is(apt.Installed)
	}
}

func (withApt) havePins(w wish, h host, f stage.Facts, s stage.Surface) {
	if w.pin == byHold {
		s[heldPath], s[unattendedSurface] = h.set.held(), kept(w.unattendedFile(), unattendedText, f)
	} else {
		s[heldPath], s[unattendedSurface] = h.ownHolds(f), w.ownUnattended(f)
	}
	if w.pin != byPackage {
		s[pinningPath] = h.ownPinnings("", f)
		return
	}
	s[pinningPath] = apt.Look(w.pinningPackage(), f).State
	switch v := h.ownPinnings(w.pinningPackage(), f); {
	case v.State == stage.Unknown && s[pinningPath].State != stage.Unknown:
		s[pinningPath] = v
	case v.State == stage.Present && s[pinningPath].State == stage.Present:
		s[pinningPath] = stage.Is(s[pinningPath].Text + ", and " + v.Text)
	}
}

func (withApt) aboutHolds(w wish, h host, f stage.Facts) []stage.Finding {
	if w.pin == byHold {
		return nil
	}
	return w.aboutOthersHolds(h, f, "apt-mark unhold")
}

func (m withApt) pin(j job) []stage.Step {
	switch {
	case !j.changed(pinningPath):
		return nil
	case j.wish.pin != byPackage:
		return []stage.Step{m.step("remove the pinning packages that pdprov installed", "release_pinnings")}
	}
	name := j.pinningPackage()
	return []stage.Step{m.step("install "+name+", and remove those of other branches that pdprov installed",
		posixsh.Words("pin_branch", name, strings.Join(j.set.pinnings, " ")))}
}

func (m withApt) keep(j job) (steps []stage.Step) {
	if j.wish.pin != byHold {
		steps = j.release()
		if j.changed(unattendedSurface) {
			steps = append(steps, apt.Step("remove "+unattendedPath, posixsh.Words("rm", "-f", "--", unattendedPath)))
		}
		return steps
	}
	if j.changed(unattendedSurface) {
		steps = append(steps, hostfile.Write("write "+unattendedPath, hostfile.Wish{
			Path: unattendedPath, Data: []byte(unattendedText), Mode: "0644", Owner: "root", Group: "root",
		}))
	}
	return append(steps, m.step("hold the driver's packages", "hold_driver"))
}
