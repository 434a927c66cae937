package driver

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/pdprov/pdprov/stages/stage"
)

// findings are what makes the wish impossible, or dangerous, on this host.
func (w wish) findings(h host, f stage.Facts) []stage.Finding {
	findings := append(w.aboutDevices(h), w.aboutAdoption(h)...)
	if w.adopt {
		return findings
	}
	if !h.managed {
		findings = append(findings, stage.Finding{
			Summary: "Unknown package manager",
			Detail:  fmt.Sprintf("pdprov installs drivers with apt (Debian, Ubuntu and what derives from them) and dnf (RHEL 8 and later and what is built from it, Fedora, Amazon Linux 2023); it does not know the package manager of %s.", h.system.Pretty),
		})
	}
	findings = append(append(findings, w.aboutSecureBoot(h, f)...), w.warnings(h)...)
	return append(findings, h.manager.aboutHolds(w, h, f)...)
}

func (w wish) aboutDevices(h host) (findings []stage.Finding) {
	var vfio, open, old []string
	for _, g := range h.box.GPUs {
		switch {
		case g.Bound.Text == "vfio-pci":
			vfio = append(vfio, g.PCI)
		case needsOpen(g) && w.modules == proprietary:
			open = append(open, g.PCI)
		case needsProprietary(g) && w.modules == "open":
			old = append(old, g.PCI)
		}
	}
	add := func(path, summary, detail string, gpus []string) {
		if len(gpus) > 0 {
			findings = append(findings, stage.Finding{Path: path, Summary: summary, Detail: fmt.Sprintf(detail, strings.Join(gpus, ", "))})
		}
	}
	add("", "GPUs are given to virtual machines", "vfio-pci holds %s. A host that is set up so is not changed; free the GPUs first.", vfio)
	add("modules", "Blackwell needs the open modules", "%s would show as \"No devices were found\" with the proprietary modules. Set modules = \"open\".", open)
	add("modules", "GPUs too old for the open modules", "%s came before Turing, which the open modules do not drive. Set modules = \"proprietary\" and a branch below 620.", old)
	count, remedy := h.box.Count, "Set gpus to what the host has."
	if n, err := strconv.Atoi(count.Text); err == nil && n < w.gpus {
		remedy = "A GPU that fell off the bus needs a power cycle or a technician."
	}
	if count.State == stage.Present && w.gpus >= 0 && count.Text != strconv.Itoa(w.gpus) {
		findings = append(findings, stage.Finding{
			Path: "gpus", Summary: "Another number of GPUs",
			Detail: fmt.Sprintf("The plan says %d, on the PCI bus are %s. %s Nothing is changed before.", w.gpus, count.Text, remedy),
		})
	} else if count.Text == "0" {
		findings = append(findings, stage.Finding{
			Severity: stage.Warning, Summary: "No NVIDIA GPU",
			Detail: "No NVIDIA GPU is on the PCI bus of this host, so the driver would have nothing to drive.",
		})
	}
	return findings
}

// aboutLost refuses where the driver is right and GPUs are missing all the same.
func (w wish) aboutLost(h host) []stage.Finding {
	lost := h.lost(w)
	if lost == "" {
		return nil
	}
	return []stage.Finding{{
		Path: answeringPath, Summary: "GPUs that do not answer",
		Detail: fmt.Sprintf("The right driver is loaded, but %s. No change of the driver mends that: see dmesg for NVRM and Xid, reset or power-cycle the GPU.", lost),
	}}
}

// lost says which GPUs the loaded driver, the right one, does not show.
func (h host) lost(w wish) string {
	n := h.answering
	if n.State != stage.Present || h.box.Count.State != stage.Present || n.Text == h.box.Count.Text ||
		!w.fits(h.loaded.version.Text) || h.loaded.version.Text != h.library.Text {
		return ""
	}
	if strings.HasPrefix(n.Text, "nvidia-smi ") {
		return n.Text
	}
	text := fmt.Sprintf("nvidia-smi lists %s of the %s GPUs on the bus", n.Text, h.box.Count.Text)
	if missing := h.missing(); n.Text != "0" && len(missing) > 0 {
		text += ", not " + strings.Join(missing, ", ")
	}
	return text
}

// missing are the PCI addresses of the GPUs that nvidia-smi does not list.
func (h host) missing() (addresses []string) {
	for _, g := range h.box.GPUs {
		if g.Index.State != stage.Present {
			addresses = append(addresses, g.PCI)
		}
	}
	return addresses
}

// aboutAdoption refuses to write over a driver that no package owns.
func (w wish) aboutAdoption(h host) []stage.Finding {
	seen := fmt.Sprintf("loaded %s, library %s", h.loaded.version, h.library)
	if h.loaded.uninstaller {
		seen += ", with /usr/bin/nvidia-uninstall of an installer (.run)"
	}
	switch {
	case w.adopt && h.loaded.version.State == stage.Unknown, w.adopt && h.library.State == stage.Unknown:
		return nil // it blocks anyway, and says why
	case w.adopt && w.fits(h.loaded.version.Text) && h.loaded.version.Text == h.library.Text:
		return w.aboutAdoptedModules(h)
	case w.adopt:
		return []stage.Finding{{
			Path: "adopt", Summary: "The adopted driver is not the one asked for",
			Detail: fmt.Sprintf("Asked for is %s; there is: %s. With adopt = true pdprov changes nothing about a driver. Mend it, or ask for what is there.", w.pattern(), seen),
		}}
	case h.foreign():
		return []stage.Finding{{
			Path: "adopt", Summary: "A driver that no package owns",
			Detail: fmt.Sprintf("There is a driver (%s), but %s knows of none, so something else installed it. It is not written over. Set adopt = true to take it as it is, or remove it (nvidia-uninstall, or however it came) and apply again.", seen, h.manager.database()),
		}}
	}
	return nil
}

// aboutAdoptedModules: what is adopted is looked at, and is to be what the plan says.
func (w wish) aboutAdoptedModules(h host) []stage.Finding {
	if v := h.loaded.flavour; v.State != stage.Present || v.Text == w.modules {
		return nil
	}
	return []stage.Finding{{
		Path: "modules", Summary: "The adopted driver has the other modules",
		Detail: fmt.Sprintf("The loaded modules are the %s ones, the plan says %s. Set modules = %q to adopt the driver as it is.", h.loaded.flavour, w.modules, h.loaded.flavour.Text),
	}}
}

// aboutSecureBoot refuses to build a module that the kernel would not load.
func (w wish) aboutSecureBoot(h host, f stage.Facts) []stage.Finding {
	d := h.kernels.running
	built := w.source == nvidia
	works := w.fits(d.version.Text) && d.signer != "" && d.version.Text == h.loaded.version.Text
	if secureBoot(f).Text != "on" || !built || w.mok || works {
		return nil
	}
	return []stage.Finding{{
		Path: "secure_boot", Summary: "Secure Boot would reject the module",
		Detail: `Secure Boot is on, and a module built on the host is signed with the host's own key: modprobe would say "Key was rejected by service". Use source = "distribution" (modules signed by it), or enroll the host's key at its console (mokutil --import) and set secure_boot = "mok-enrolled", or turn Secure Boot off.`,
	}}
}

// warnings tell of what is not wrong yet.
func (w wish) warnings(h host) (findings []stage.Finding) {
	add := func(summary, detail string) {
		findings = append(findings, stage.Finding{Severity: stage.Warning, Summary: summary, Detail: detail})
	}
	k := h.kernels
	if k.unknown == nil && k.next.release != k.running.release && k.next.version.State != stage.Unknown &&
		k.next.version.Text != k.running.version.Text {
		what := "no module at all"
		if k.next.version.State == stage.Present {
			what = "the module " + k.next.version.Text
		}
		add("The next kernel has another driver", fmt.Sprintf("The host runs kernel %s and will boot %s, which has %s. Do not reboot it before an apply has put the right module there.", k.running.release, k.next.release, what))
	}
	if l, u := h.loaded.version, h.library; l.State == stage.Present && u.State == stage.Present && l.Text != u.Text {
		add("Programs that use a GPU cannot start now", fmt.Sprintf("The kernel has %s loaded and the library is %s: running programs go on, new ones fail with \"Driver/library version mismatch\".", l.Text, u.Text))
	}
	if h.box.Switches.Text == "0" && w.fabricManager && h.set.fabricManager().State == stage.Present {
		detail := "nvidia-fabricmanager is installed, but the host has no NVSwitch that would need it. pdprov neither starts nor removes it, and moves it only together with the driver's other packages"
		if w.pin == byHold {
			detail += ", with which it is held"
		}
		add("A fabric manager without NVSwitches", detail+". Remove the package if nothing needs it.")
	}
	for _, name := range h.set.pinnings {
		if name != w.pinningPackage() {
			add("A pin on another branch", fmt.Sprintf("%s is installed and keeps apt at that branch, while the plan asks for %s.", name, w.pattern()))
		}
	}
	return findings
}
