package cuda

import (
	"strings"

	"github.com/pdprov/pdprov/internal/apt"
	"github.com/pdprov/pdprov/internal/nvrepo"
	"github.com/pdprov/pdprov/stages/stage"
)

// Want is every toolkit with its packages, the default where one is asked for, and the
// repository that they come from.
func (Kind) Want(in stage.Instance, f stage.Facts) (stage.Surface, []stage.Finding) {
	w := wishOf(in.Config)
	s := stage.Surface{}
	findings := nvrepo.Want(in, f, s)
	for _, v := range w.versions {
		s[toolkitPath+v] = stage.Is(v)
	}
	for _, name := range w.all() {
		s[packagePath+name], s[packagePath+name+statePath] = stage.SomeValue(), stage.Is(apt.Installed)
	}
	if w.standard != "" {
		s[defaultPath], s[choicePath] = stage.Is(w.standard), stage.Is("manual")
	}
	findings = append(findings, systemFindings(f)...)
	findings = append(findings, linkFindings(w, f)...)
	findings = append(findings, neighbours(f)...)
	return s, append(findings, hardwareFindings(in, f)...)
}

// Have is what nvcc, dpkg or rpm, and the links say.
func (Kind) Have(in stage.Instance, f stage.Facts) stage.Surface {
	w := wishOf(in.Config)
	s := stage.Surface{}
	nvrepo.Have(in, f, s)
	m, _ := managerOf(f)
	for _, name := range w.all() {
		p := m.look(name, f)
		s[packagePath+name], s[packagePath+name+statePath] = p.Version, p.State
	}
	for _, other := range m.strangers() {
		s["other.package."+other.name] = m.look(other.name, f).Version
	}
	l, unknown, ok := localOf(f)
	if !ok {
		for _, v := range w.versions {
			s[toolkitPath+v] = unknown
		}
		s[defaultPath], s[choicePath] = unknown, unknown
		return s
	}
	l.have(w, m, f, s)
	return s
}

func (l local) have(w wish, m manager, f stage.Facts, s stage.Surface) {
	for v, t := range l.toolkits {
		s["other."+toolkitPath+v] = t.release
		if t.nvcc != "" {
			s["nvcc."+v] = stage.Is(t.nvcc)
		}
	}
	for _, v := range w.versions {
		delete(s, "other."+toolkitPath+v)
		t := l.release(v)
		if p := m.look(nvccPackage(v), f); t.State == stage.None && p.Version.State == stage.None {
			t.By = p.Version.By
		}
		s[toolkitPath+v] = t
	}
	s[defaultPath], s[choicePath] = l.standard(), l.choice
	for link, target := range l.links {
		s["link."+link] = stage.Is(target)
	}
	s["linker.compat"] = stage.Nothing()
	if len(l.compat) > 0 {
		s["linker.compat"] = stage.Is(strings.Join(l.compat, "; "))
	}
}

// release is what the nvcc of a version's own folder says; a link is no toolkit.
func (l local) release(version string) stage.Value {
	if target, link := l.links["/usr/local/cuda-"+version]; link {
		return stage.Is("a link to " + target)
	}
	if t, ok := l.toolkits[version]; ok {
		return t.release
	}
	return stage.Nothing()
}

// standard is the version that /usr/local/cuda leads to.
func (l local) standard() stage.Value {
	target, ok := l.links["/usr/local/cuda"]
	switch {
	case !ok:
		return stage.Nothing()
	case target == "":
		return stage.Value{Probe: toolkitsID, Reason: "where /usr/local/cuda leads could not be read"}
	}
	return stage.Is(strings.TrimPrefix(target, "/usr/local/cuda-"))
}
