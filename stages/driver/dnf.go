package driver

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/pdprov/pdprov/internal/dnf"
	"github.com/pdprov/pdprov/internal/osrelease"
	"github.com/pdprov/pdprov/internal/posixsh"
	"github.com/pdprov/pdprov/stages/stage"
)

// withDNF is the manager of RHEL and what is built from it, Fedora and Amazon Linux.
type withDNF struct {
	streams bool // NVIDIA's repository has the driver in streams of a module
}

//go:embed driver-dnf.sh
var dnfFunctions string

func dnfPatterns() []string {
	return []string{"cuda-drivers*", "kmod-nvidia-*", "libnvidia-*", "nvidia-*"}
}

// hasStreams: NVIDIA has streams for RHEL 8 and 9 and for Amazon Linux, not for RHEL 10
// and not for Fedora.
func hasStreams(sys osrelease.System) bool {
	major, _, _ := strings.Cut(sys.Version, ".")
	return sys.IDs[0] != "fedora" && (major == "8" || major == "9" || sys.IDs[0] == "amzn")
}

// dnfNames are the names of NVIDIA's repositories and of what is built from them.
var dnfNames = []string{
	"cuda-drivers*", "kmod-nvidia-*", "libnvidia-*", "nvidia-driver", "nvidia-driver-*",
	"nvidia-fabricmanager*", "nvidia-fabric-manager*", "nvidia-imex*", "nvidia-kmod*",
	"nvidia-libXNVCtrl*", "nvidia-modprobe", "nvidia-open", "nvidia-open-*", "nvidia-persistenced",
	"nvidia-settings", "nvidia-xconfig",
}

func (withDNF) patterns() []string { return dnfPatterns() }
func (withDNF) names() []string    { return dnfNames }
func (withDNF) lock() string       { return "dnf" }
func (withDNF) database() string   { return "rpm" }
func (withDNF) ready() stage.Step  { return dnf.Ready() }

func (withDNF) match(pattern string, f stage.Facts) (parts []part, unknown stage.Value, ok bool) {
	list, unknown, ok := dnf.Match(pattern, f)
	for _, p := range list {
		parts = append(parts, part(p))
	}
	return parts, unknown, ok
}

func (withDNF) step(title string, lines ...string) stage.Step {
	return withFunctions(dnf.Step(title, loadFunctions(lines)...), dnfNames, dnfFunctions)
}

// sets have the same names in NVIDIA's repositories and in those distributions that
// build from its packages.
func (withDNF) sets(w wish, _ string) []string {
	switch {
	case w.desktop && w.modules == open:
		return []string{"nvidia-open", "nvidia-driver nvidia-driver-cuda kmod-nvidia-open-dkms", "nvidia-driver nvidia-driver-cuda kmod-nvidia-open"}
	case w.desktop:
		return []string{"cuda-drivers", "nvidia-driver nvidia-driver-cuda kmod-nvidia-latest-dkms"}
	case w.modules == open:
		return []string{"nvidia-driver-cuda kmod-nvidia-open-dkms", "nvidia-driver-cuda kmod-nvidia-open", "nvidia-open"}
	}
	return []string{"nvidia-driver-cuda kmod-nvidia-latest-dkms", "cuda-drivers"}
}

func (withDNF) fabricManagers(wish) []string {
	return []string{fabricManagerName, olderFabricManagerName}
}

// streamsOf are the streams that keep a branch, best first.
func (w wish) streamsOf() []string {
	if w.modules == open {
		return []string{w.branch + "-open", w.branch + "-open-dkms"}
	}
	return []string{w.branch + "-dkms", w.branch}
}

// keptByStream says whether a stream keeps the branch; elsewhere pin = "package" is
// fulfilled by version locks.
func (m withDNF) keptByStream(w wish) bool { return m.streams && w.source == nvidia }

// locks says whether version locks are what keeps the driver.
func (m withDNF) locks(w wish) bool {
	return w.pin == byHold || w.pin == byPackage && !m.keptByStream(w)
}

// beforeInstall enables a stream also where version locks keep the driver: packages of
// other streams are not on offer.
func (m withDNF) beforeInstall(w wish) []string {
	if !m.keptByStream(w) {
		return nil
	}
	return []string{posixsh.Words(append([]string{"use_stream"}, w.streamsOf()...)...)}
}

// wantPins: version locks bind dnf-automatic too, so that it has no file of its own.
func (m withDNF) wantPins(w wish, f stage.Facts, s stage.Surface) {
	s[heldPath], s[unattendedSurface], s[pinningPath] = stage.Nothing(), stage.Nothing(), stage.Nothing()
	switch {
	case w.pin == byHold:
		s[heldPath] = stage.Is("all")
	case w.pin == byPackage && m.keptByStream(w):
		s[pinningPath] = stage.Is("stream " + w.streamsOf()[0])
		if v := dnf.Stream(f); v.State == stage.Present && slices.Contains(w.streamsOf(), v.Text) {
			s[pinningPath] = stage.Is("stream " + v.Text)
		}
	case w.pin == byPackage:
		s[pinningPath] = stage.Is("all")
	}
}

func (m withDNF) havePins(w wish, h host, f stage.Facts, s stage.Surface) {
	s[heldPath], s[unattendedSurface], s[pinningPath] = h.ownHolds(f), stage.Nothing(), stage.Nothing()
	switch {
	case w.pin == byHold:
		s[heldPath] = w.locked(h, f)
	case w.pin == byPackage && m.keptByStream(w):
		s[pinningPath] = dnf.Stream(f)
		if v := s[pinningPath]; v.State == stage.Present {
			s[pinningPath] = stage.Is("stream " + v.Text)
		}
	case w.pin == byPackage:
		s[pinningPath] = w.locked(h, f)
		if s[heldPath].State == stage.Present {
			s[heldPath] = stage.Nothing() // these locks are the pinning
		}
	}
}

// locked is set.held where the locks could be read, and whose they are is known.
func (w wish) locked(h host, f stage.Facts) stage.Value {
	if unknown, ok := dnf.LocksKnown(f); !ok && h.set.unknown == nil {
		return unknown
	}
	if unsure := w.unsureLocks(h, f); unsure != nil {
		return *unsure
	}
	return h.set.held()
}

func (m withDNF) aboutHolds(w wish, h host, f stage.Facts) []stage.Finding {
	findings := w.aboutLocks(h, f)
	if m.locks(w) {
		return findings
	}
	return append(findings, w.aboutOthersHolds(h, f, "dnf versionlock delete")...)
}

func (m withDNF) pin(j job) []stage.Step {
	if j.wish.pin != byPackage || !m.keptByStream(j.wish) || !j.changed(pinningPath) {
		return nil
	}
	return []stage.Step{m.step("enable a stream of the module nvidia-driver",
		posixsh.Words(append([]string{"pin_stream"}, j.streamsOf()...)...))}
}

func (m withDNF) keep(j job) []stage.Step {
	if m.locks(j.wish) {
		call := []string{"hold_driver"}
		for _, l := range j.keptLocks {
			call = append(call, l.Name)
		}
		return []stage.Step{m.step("lock the driver's packages at their version", posixsh.Words(call...))}
	}
	return j.release()
}
