package driver

import (
	"github.com/pdprov/pdprov/internal/dnf"
	"github.com/pdprov/pdprov/internal/gpu"
	"github.com/pdprov/pdprov/internal/hostfile"
	"github.com/pdprov/pdprov/internal/nvrepo"
	"github.com/pdprov/pdprov/internal/posixsh"
	"github.com/pdprov/pdprov/stages/stage"
)

// job is the work of one stage on one host.
type job struct {
	wish
	host
	changes []stage.Change
	target  string // "580.95.05", or "580.*"
	kernels []string

	keptLocks []dnf.Lock // of others, which stay as they are
}

// Work installs first, proves what lies on the disk for every kernel that can boot, and
// only then loads, reloads or has the host rebooted.
func (Kind) Work(in stage.Instance, f stage.Facts, changes []stage.Change) (stage.Work, []stage.Finding) {
	w, h := wishOf(in.Config), read(f)
	if w.adopt {
		return stage.Work{}, []stage.Finding{{
			Path: "adopt", Summary: "An adopted driver that is not as asked for",
			Detail: "With adopt = true pdprov changes nothing about a driver: mend what differs, or remove adopt.",
		}}
	}
	j := job{wish: w, host: h, changes: changes, target: w.target(h), kernels: []string{h.running.release}}
	if h.next.release != h.running.release {
		j.kernels = append(j.kernels, h.next.release)
	}
	j.keptLocks, _ = w.othersLocks(h, f)
	var steps []stage.Step
	if j.reloads() {
		if j.used() {
			return stage.Work{}, []stage.Finding{j.aboutHolders()}
		}
		steps = append(steps, j.step("see that nothing uses a GPU", "no_users"))
	}
	steps = append(steps, h.manager.ready())
	if w.source == nvidia {
		steps = append(steps, nvrepo.Steps(in, f, changes)...)
	}
	steps = append(steps, j.install()...)
	steps = append(steps, j.settings()...)
	steps = append(steps, j.load()...)
	work := stage.Work{Steps: steps, Writes: j.writes(), Locks: []string{h.manager.lock(), "gpu"}, TimeoutSeconds: 3600}
	work.Impact, work.ImpactOn = j.impact(in.Host.Name)
	if work.Impact == stage.Reboot {
		return work, j.endedByReboot()
	}
	return work, nil
}

// step may call the functions of the driver.
func (j job) step(title string, lines ...string) stage.Step { return j.manager.step(title, lines...) }

func (j job) changed(paths ...string) bool {
	for _, path := range paths {
		for _, c := range j.changes {
			if c.Path == path {
				return true
			}
		}
	}
	return false
}

// install brings packages and modules. What only needs another boot ends with the proof
// that this boot will find its module.
func (j job) install() (steps []stage.Step) {
	if j.changed(headersPath, nextHeadersPath) {
		steps = append(steps, j.step("install kernel headers", posixsh.Words(append([]string{"install_headers"}, j.kernels...)...)))
	}
	steps = append(steps, j.manager.pin(j)...)
	if j.changed(packagesPath, statePath, libraryPath) || j.wrongFlavour(j.running) || j.wrongFlavour(j.next) || j.lacksSMI() {
		sets := j.manager.sets(j.wish, j.running.release)
		steps = append(steps, j.step("install the driver "+j.target,
			append(j.manager.beforeInstall(j.wish), posixsh.Words(append([]string{"install_driver", j.target}, sets...)...))...))
	}
	if j.lacksSMI() {
		steps = append(steps, j.step("bring nvidia-smi back", "bring_smi"))
	}
	if j.changed(fabricPath) {
		steps = append(steps, j.step("install "+fabricManagerName,
			posixsh.Words(append([]string{"install_driver", j.target}, j.manager.fabricManagers(j.wish)...)...)))
	}
	return append(steps, j.step("prove the modules on the disk",
		posixsh.Words(append([]string{"prove_modules", j.target, j.modules}, j.kernels...)...)))
}

// lacksSMI says whether nvidia-smi is missing from a driver whose packages stay as they
// are: its package is not among them, or lost the file.
func (j job) lacksSMI() bool {
	return j.changed(answeringPath) && j.answering.State == stage.None && !j.changed(packagesPath, statePath)
}

// wrongFlavour says whether a kernel's module is of the other kind, which only other
// packages mend; one that is not there is built.
func (j job) wrongFlavour(k kernel) bool {
	return k.flavour.State == stage.Present && k.flavour.Text != j.modules
}

// settings keeps nouveau and unattended upgrades away, and the versions.
func (j job) settings() (steps []stage.Step) {
	if j.changed(blacklistSurface) {
		steps = append(steps, hostfile.Write("write "+blacklistPath, hostfile.Wish{
			Path: blacklistPath, Data: []byte(blacklistText), Mode: "0644", Owner: "root", Group: "root",
		}))
	}
	if j.changed(blacklistSurface, initramfsPath, nouveauPath) {
		steps = append(steps, j.step("keep nouveau out of the next boot", "blacklist_into_initramfs"))
	}
	return append(steps, j.manager.keep(j)...)
}

// load brings the module into the kernel where that needs no boot, and starts the
// services, which a reload stops.
func (j job) load() (steps []stage.Step) {
	stale, reloads := j.stale(j.host), j.reloads()
	switch {
	case reloads:
		steps = append(steps, j.step("reload the module", "reload_module"))
	case stale == "" && j.loaded.version.State == stage.None:
		steps = append(steps, j.step("load the module", "load_module"))
	}
	for _, s := range []struct {
		name   string
		wanted bool
	}{
		{"nvidia-persistenced", j.persistence && (reloads || j.changed(persistencePath, packagesPath))},
		{fabricManagerName, j.fabricManager && j.switches() && (reloads || j.changed(fabricPath, fabricRunningPath))},
	} {
		if !s.wanted {
			continue
		}
		lines := []string{"systemctl enable " + s.name + ".service"}
		if stale == "" || reloads {
			lines = append(lines, "systemctl restart "+s.name+".service")
		}
		steps = append(steps, j.step("start "+s.name, lines...))
	}
	return steps
}

// impact: a module that is loaded stays until it is reloaded or the host boots.
func (j job) impact(host string) (stage.Impact, string) {
	switch {
	case j.reloads():
		return stage.Downtime, "whatever uses a GPU"
	case j.needsLoading() && j.reboot != never:
		return stage.Reboot, host
	case len(j.set.packages) > 0 && j.changed(packagesPath, libraryPath):
		return stage.Restart, "whatever uses a GPU"
	}
	return stage.NoImpact, ""
}

func (j job) writes() []stage.Resource {
	writes := []stage.Resource{
		gpu.DriverResource, "path:/sys/bus/pci/devices", "path:/etc", "path:/usr", "path:/lib/modules", "path:/boot",
		"unit:nvidia-persistenced.service", "unit:nvidia-fabricmanager.service",
	}
	for _, pattern := range j.manager.patterns() {
		writes = append(writes, stage.Resource("packages:"+pattern))
	}
	return writes
}
