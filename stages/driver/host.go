package driver

import (
	"github.com/pdprov/pdprov/internal/apt"
	"github.com/pdprov/pdprov/internal/gpu"
	"github.com/pdprov/pdprov/internal/osrelease"
	"github.com/pdprov/pdprov/stages/stage"
)

// host is what the answers of one host say about its driver.
type host struct {
	kernels
	loaded    loaded
	library   stage.Value
	answering stage.Value // GPUs that nvidia-smi lists
	box       gpu.Box
	set       set
	system    osrelease.System
	unsure    *stage.Value // why the system is not known
	manager   manager
	managed   bool // false: the system is known, and its package manager is not
}

func read(f stage.Facts) host {
	box := gpu.Read(f)
	h := host{
		kernels: readKernels(f), loaded: readLoaded(box, f), library: box.Driver.Library,
		answering: answering(box, f), box: box,
	}
	system, unknown, known := osrelease.Read(f)
	h.system = system
	h.manager, h.managed = managerOf(system)
	if !known {
		h.unsure, h.managed, h.set = &unknown, true, set{unknown: &unknown}
		return h
	}
	h.set = readSet(h.manager, f)
	return h
}

// target is the version that the host is to have. A branch is content with what is
// there; where the packages disagree, with the version that is loaded, since that needs
// no reboot. "580.*" is a version that only the steps will know.
func (w wish) target(h host) string {
	if w.version != "" {
		return w.version
	}
	versions := h.set.versions()
	if w.adopt {
		versions = []string{h.loaded.version.Text}
	}
	best := ""
	for _, v := range versions {
		if w.fits(v) && (best == "" || v == h.loaded.version.Text || newer(v, best) && best != h.loaded.version.Text) {
			best = v
		}
	}
	if best == "" {
		return w.pattern()
	}
	return best
}

// build says whether the loaded module is the one on the disk.
func (h host) build() stage.Value {
	l, d := h.loaded.module, h.kernels.running.module
	switch {
	case l.version.State == stage.Unknown:
		return l.version
	case d.version.State == stage.Unknown:
		return d.version
	case l.version.State == stage.None:
		return stage.Nothing()
	case d.version.State == stage.None:
		return stage.Is("no module on disk")
	case l.build != "" && d.build != "" && l.build != d.build:
		return stage.Is("another build")
	case l.version.Text != d.version.Text:
		return stage.Is("another version")
	}
	return stage.Is(sameBuild)
}

const sameBuild = "as on disk"

// foreign says whether there is a driver that no package owns.
func (h host) foreign() bool {
	return h.set.unknown == nil && len(h.set.versions()) == 0 &&
		(h.loaded.version.State == stage.Present || h.library.State == stage.Present || h.loaded.uninstaller)
}

func headersOf(h host, k kernel) stage.Value {
	switch {
	case h.kernels.unknown != nil:
		return *h.kernels.unknown
	case k.headers:
		return stage.Is(apt.Installed)
	}
	return stage.Nothing()
}

// switches says whether the host has NVSwitches, which need the fabric manager.
func (h host) switches() bool {
	return h.box.Switches.State == stage.Present && h.box.Switches.Text != "0"
}
