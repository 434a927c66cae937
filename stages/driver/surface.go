package driver

import (
	"strconv"

	"github.com/pdprov/pdprov/internal/apt"
	"github.com/pdprov/pdprov/internal/hostfile"
	"github.com/pdprov/pdprov/internal/nvrepo"
	"github.com/pdprov/pdprov/stages/stage"
)

// Paths of the surface. The five versions of a driver are packages, library,
// module.running, module.next and loaded.
const (
	packagesPath      = "packages"
	statePath         = "packages.state"
	heldPath          = "packages.held"
	pinningPath       = "packages.pinning"
	unattendedSurface = "unattended_upgrades"
	libraryPath       = "library"
	modulePath        = "module.running"
	nextPath          = "module.next"
	flavourPath       = "module.flavour"
	nextFlavourPath   = "module.next_flavour"
	headersPath       = "headers.running"
	nextHeadersPath   = "headers.next"
	loadedPath        = "loaded"
	loadedFlavourPath = "loaded.flavour"
	loadedBuildPath   = "loaded.build"
	nouveauPath       = "nouveau"
	blacklistSurface  = "nouveau.blacklist"
	initramfsPath     = "nouveau.initramfs"
	persistencePath   = "persistenced"
	fabricPath        = "fabric_manager"
	fabricRunningPath = "fabric_manager.running"
	dkmsPrefix        = "dkms." // and a kernel; shown, not compared
	secureBootPath    = "secure_boot"
	gpusPath          = "gpus"
	answeringPath     = "gpus.answering"
)

// Want is one version in five places, and what keeps it there.
func (Kind) Want(in stage.Instance, f stage.Facts) (stage.Surface, []stage.Finding) {
	w, h := wishOf(in.Config), read(f)
	target := w.wantedVersion(h)
	s := stage.Surface{libraryPath: target, loadedPath: target, gpusPath: stage.SomeValue(), answeringPath: wantedAnswers(h)}
	if w.gpus >= 0 {
		s[gpusPath] = stage.Is(strconv.Itoa(w.gpus))
	}
	findings := w.findings(h, f)
	if !stage.Ignored(answeringPath, in.Ignore) {
		findings = append(findings, w.aboutLost(h)...)
	}
	s[nouveauPath] = stage.Is("off")
	s[loadedFlavourPath] = stage.Is(w.modules)
	if w.adopt {
		return s, findings
	}
	for _, path := range []string{packagesPath, modulePath, nextPath} {
		s[path] = target
	}
	for _, path := range []string{flavourPath, nextFlavourPath} {
		s[path] = stage.Is(w.modules)
	}
	s[statePath], s[secureBootPath] = stage.Is(apt.Installed), stage.SomeValue()
	s[loadedBuildPath] = stage.Is(sameBuild)
	s[blacklistSurface], s[initramfsPath] = stage.Is(blacklistText), stage.Is(initramfsKnows)
	if w.headers {
		s[headersPath], s[nextHeadersPath] = stage.Is(apt.Installed), stage.Is(apt.Installed)
	}
	h.manager.wantPins(w, f, s)
	if w.persistence {
		s[persistencePath] = stage.Is(running)
	}
	if w.fabricManager {
		s[fabricPath], s[fabricRunningPath] = w.wantedFabricManager(h, target), h.wantedFabricManagerService()
	}
	if w.source == nvidia {
		findings = append(findings, nvrepo.Want(in, f, s)...)
	}
	if w.reboot == never {
		findings = append(findings, w.withoutReboot(h, f, s)...)
	}
	return s, findings
}

// Have is what the host shows.
func (Kind) Have(in stage.Instance, f stage.Facts) stage.Surface {
	w, h := wishOf(in.Config), read(f)
	s := stage.Surface{
		libraryPath: h.library, loadedPath: h.loaded.version, loadedFlavourPath: h.loaded.flavour, gpusPath: h.box.Count, answeringPath: h.answering,
		nouveauPath: h.loaded.nouveau,
	}
	for path, v := range h.box.Surface() {
		s[path] = v
	}
	if w.adopt {
		return s
	}
	if h.library.State == stage.Present {
		v := h.library
		v.By = h.set.by(v.Text)
		s[libraryPath] = v
	}
	s[packagesPath] = h.set.version(w.target(h))
	s[statePath], s[secureBootPath] = h.set.state(), secureBoot(f)
	s[modulePath], s[flavourPath] = h.kernels.running.version, h.kernels.running.flavour
	s[nextPath], s[nextFlavourPath] = h.kernels.next.version, h.kernels.next.flavour
	for k, state := range h.kernels.dkms {
		s[dkmsPrefix+k] = stage.Is(state)
	}
	s[loadedBuildPath] = h.build()
	s[blacklistSurface], s[initramfsPath] = kept(w.blacklistFile(), blacklistText, f), h.loaded.initramfs
	if w.headers {
		s[headersPath], s[nextHeadersPath] = headersOf(h, h.kernels.running), headersOf(h, h.kernels.next)
	}
	h.manager.havePins(w, h, f, s)
	if _, pinned := s[pinningPath]; pinned && h.unsure != nil {
		s[pinningPath] = *h.unsure
	}
	if w.persistence {
		s[persistencePath] = service(f, persistencedBlock)
	}
	if w.fabricManager {
		s[fabricPath], s[fabricRunningPath] = h.set.fabricManager(), h.fabricManagerService(f)
	}
	if w.source == nvidia {
		nvrepo.Have(in, f, s)
	}
	return s
}

// kept is the content of a file that the stage keeps.
func kept(p stage.Probe, wanted string, f stage.Facts) stage.Value {
	seen := hostfile.Read(p, f)
	switch {
	case seen.Type == hostfile.Gone:
		return stage.Nothing()
	case seen.Type == hostfile.File:
		return seen.Content([]byte(wanted), false, p.ID)
	case seen.Type == "" || seen.Type == hostfile.Blocked:
		return stage.Value{Reason: seen.Reason, Probe: p.ID}
	}
	return stage.Is("a " + string(seen.Type))
}

// secureBoot is "on" or "off"; a firmware without that variable has none.
func secureBoot(f stage.Facts) stage.Value {
	a := f.Get(bootID)
	switch text := string(a.Body); {
	case a.Outcome == stage.Absent:
		return stage.Is("off")
	case a.Outcome != stage.Answered:
		return a.Unknown(bootID)
	case text == "on\n", text == "off\n":
		return stage.Is(text[:len(text)-1])
	default:
		return stage.Value{Reason: "whether Secure Boot is on could not be read", Probe: bootID}
	}
}
