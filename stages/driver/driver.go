// Package driver is the kind "driver": NVIDIA's driver, its kernel module and its
// libraries, in one version, loaded, and still there after the next boot.
package driver

import (
	"github.com/pdprov/pdprov/internal/nvrepo"
	"github.com/pdprov/pdprov/stages/stage"
)

// Kind is the kind "driver".
type Kind struct{}

// Name is the word after `stage` in a plan file.
func (Kind) Name() string { return "driver" }

// Summary is one sentence for people.
func (Kind) Summary() string {
	return "NVIDIA's driver: packages, kernel module (loaded, on disk for this kernel and for the next), library, all of one version, with the reboot that this needs."
}

// Values of the attributes.
const (
	nvidia, distribution               = "nvidia", "distribution"
	open, proprietary                  = "open", "proprietary"
	byHold, byPackage, byNobody        = "hold", "package", "none"
	ifNeeded, never, moduleReload      = "if-needed", "never", "module-reload"
	refuse, mokEnrolled                = "refuse", "mok-enrolled"
	fabricManagerAuto, fabricManagerNo = "auto", "never"
)

// Schema lists the attributes of a block.
func (Kind) Schema() []stage.Attr {
	return append([]stage.Attr{
		{Name: "branch", Type: stage.String, Doc: "Branch of the driver (\"580\"): any version of it will do, and an installed one stays. Either branch or version is required."},
		{Name: "version", Type: stage.String, Doc: "Exact version of the driver (\"580.95.05\"); everything that belongs to it gets this one."},
		{Name: "modules", Type: stage.String, Default: open, OneOf: []string{open, proprietary}, Doc: "Kernel modules: open (Turing and later, required by Blackwell) or proprietary (gone from branch 620)."},
		{Name: "source", Type: stage.String, Default: nvidia, OneOf: []string{nvidia, distribution}, Doc: "nvidia: NVIDIA's package repository, which the stage sets up; distribution: the host's own archive."},
		{Name: "desktop", Type: stage.Bool, Default: false, Doc: "true: also what displays need; unset: what computing needs."},
		{Name: "pin", Type: stage.String, Default: byHold, OneOf: []string{byHold, byPackage, byNobody}, Doc: "What keeps upgrades away: hold (every package is held, unattended-upgrades is told to leave them), package (nvidia-driver-pinning-BRANCH; with dnf the module stream of the branch) or none. With dnf holds are version locks."},
		{Name: "reboot", Type: stage.String, Default: ifNeeded, OneOf: []string{ifNeeded, never, moduleReload}, Doc: "if-needed: the host reboots when only that loads the right module; module-reload: the module is unloaded and loaded, which fails where something uses a GPU; never: neither, and the plan says what a reboot would have changed."},
		{Name: "headers", Type: stage.Bool, Doc: "true: kernel headers for the running and the next kernel are installed, so that DKMS can build; unset: true with source nvidia."},
		{Name: "persistence", Type: stage.Bool, Default: true, Doc: "true: nvidia-persistenced runs and starts at boot."},
		{Name: "fabric_manager", Type: stage.String, Default: fabricManagerAuto, OneOf: []string{fabricManagerAuto, fabricManagerNo}, Doc: "auto: nvidia-fabricmanager, in the very version of the driver, where the host has NVSwitches; never: not managed."},
		{Name: "secure_boot", Type: stage.String, Default: refuse, OneOf: []string{refuse, mokEnrolled}, Doc: "Where Secure Boot is on and the module is built on the host: refuse, or mok-enrolled when the key that signs it is known to the firmware."},
		{Name: "adopt", Type: stage.Bool, Default: false, Doc: "true: the driver is taken as it is, whoever installed it, and only looked at; unset: one that no package owns is an error and is never written over."},
		{Name: "gpus", Type: stage.Number, Doc: "How many NVIDIA GPUs must be on the PCI bus; another number is an error."},
	}, nvrepo.Attrs()...)
}

// wish is a decoded block.
type wish struct {
	branch, version string
	modules         string
	source          string
	desktop         bool
	pin, reboot     string
	headers         bool
	persistence     bool
	fabricManager   bool
	mok, adopt      bool
	gpus            int // -1: not asked for
}

func wishOf(c stage.Config) wish {
	w := wish{
		branch: c.Text("branch"), version: c.Text("version"), modules: c.Text("modules"), source: c.Text("source"),
		desktop: c.Bool("desktop"), pin: c.Text("pin"), reboot: c.Text("reboot"), headers: c.Text("source") == nvidia,
		persistence: c.Bool("persistence"), fabricManager: c.Text("fabric_manager") == fabricManagerAuto,
		mok: c.Text("secure_boot") == mokEnrolled, adopt: c.Bool("adopt"), gpus: -1,
	}
	if w.version != "" {
		w.branch = branchOf(w.version)
	}
	if c.Has("headers") {
		w.headers = c.Bool("headers")
	}
	if c.Has("gpus") {
		w.gpus = int(c.Number("gpus"))
	}
	return w
}

// Claims: a host has one driver, and its repository one wish. An adopted driver is only
// looked at and has no repository, which leaves that to the stages that install something.
func (Kind) Claims(in stage.Instance) map[stage.Resource]string {
	claims := map[stage.Resource]string{"gpu:driver": "the driver as " + in.Addr + " wants it."}
	if w := wishOf(in.Config); w.source == nvidia && !w.adopt {
		nvrepo.Claims(in, claims)
	}
	return claims
}
