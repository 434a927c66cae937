package driver

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pdprov/pdprov/stages/stage"
)

// stale says why what the kernel has loaded is not what is, or will be, on the disk;
// "" when it is, or when nothing is loaded and nothing is in the way.
func (w wish) stale(h host) string {
	l := h.loaded
	target := w.target(h)
	switch {
	case l.nouveau.Text == "loaded":
		return "nouveau is loaded and has to go"
	case l.version.State != stage.Present:
		return ""
	case l.version.Text != target:
		return fmt.Sprintf("%s is loaded, %s is wanted", l.version.Text, target)
	case l.flavour.State == stage.Present && l.flavour.Text != w.modules:
		return fmt.Sprintf("the %s module is loaded, the %s one is wanted", l.flavour.Text, w.modules)
	case h.build().Text == "another build":
		return "the loaded module is another build than the one on the disk"
	}
	return ""
}

// needsLoading says whether the work is to replace what the kernel has loaded, by a
// reboot or a reload: not where the plan ignores that it differs.
func (j job) needsLoading() bool {
	return j.stale(j.host) != "" && j.changed(loadedPath, loadedFlavourPath, loadedBuildPath, nouveauPath)
}

// reloads says whether the module is reloaded; nouveau gives the GPUs up by a boot only.
func (j job) reloads() bool {
	return j.needsLoading() && j.reboot == moduleReload && j.loaded.nouveau.Text != "loaded"
}

// aboutHolders refuses a reload that would fail half-way.
func (j job) aboutHolders() stage.Finding {
	return stage.Finding{
		Path: "reboot", Summary: "Something uses a GPU",
		Detail: fmt.Sprintf("With reboot = \"module-reload\" the module is taken out of the kernel, which fails while a program uses a GPU: %s. Nothing is changed. Stop that, or set reboot = \"if-needed\".", j.programs()),
	}
}

// programs are those that use a GPU.
func (j job) programs() string {
	var names []string
	for _, p := range j.box.Processes {
		names = append(names, p.String())
	}
	slices.Sort(names)
	return strings.Join(slices.Compact(names), ", ")
}

// used says whether programs are known to use a GPU.
func (j job) used() bool { return j.box.Holders.State == stage.Present && j.box.Holders.Text != "0" }

// endedByReboot warns of what runs on the GPUs of a host that is to reboot.
func (j job) endedByReboot() []stage.Finding {
	if !j.used() {
		return nil
	}
	return []stage.Finding{{
		Severity: stage.Warning, Path: "reboot", Summary: "The reboot ends programs that use a GPU",
		Detail: fmt.Sprintf("These use a GPU now: %s.", j.programs()),
	}}
}

// withoutReboot takes out of the wish what only a reboot would bring, and says so.
func (w wish) withoutReboot(h host, f stage.Facts, s stage.Surface) []stage.Finding {
	why := w.stale(h)
	if why == "" {
		return nil
	}
	seen := map[string]stage.Value{
		loadedPath: h.loaded.version, loadedFlavourPath: h.loaded.flavour,
		loadedBuildPath: h.build(), nouveauPath: h.loaded.nouveau, answeringPath: h.answering,
	}
	if w.persistence {
		seen[persistencePath] = service(f, persistencedBlock)
	}
	if w.fabricManager {
		seen[fabricRunningPath] = h.fabricManagerService(f)
	}
	var left []string
	for _, path := range slices.Sorted(maps.Keys(seen)) {
		if v := seen[path]; v.State != stage.Unknown && !s[path].Matches(v) {
			left = append(left, fmt.Sprintf("%s: %s -> %s", path, v, s[path]))
			s[path] = v
		}
	}
	after := ""
	if l := h.loaded.version; l.State == stage.Present && l.Text == h.library.Text && !s[libraryPath].Matches(h.library) {
		after = " From the change of the library until somebody reboots the host, programs that start and use a GPU fail with \"Driver/library version mismatch\"; running ones go on."
	}
	return []stage.Finding{{
		Severity: stage.Warning, Path: "reboot", Summary: "A reboot is due and will not be done",
		Detail: fmt.Sprintf("%s. With reboot = \"never\" the host is left as it runs; a reboot would have changed %s.%s", why, strings.Join(left, ", "), after),
	}}
}
