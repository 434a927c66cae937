package cuda

import (
	"slices"

	"github.com/pdprov/pdprov/internal/apt"
	"github.com/pdprov/pdprov/internal/nvrepo"
	"github.com/pdprov/pdprov/stages/stage"
)

// job is what has to be done, by package name.
type job struct {
	install   []string
	reinstall []string // there by the package manager's books, but half-installed or without nvcc
	held      []string // of these: held now; the plan names them, so they may change
}

func jobOf(w wish, m manager, f stage.Facts, changes []stage.Change) job {
	var j job
	for _, v := range w.versions {
		for _, name := range w.packages(v) {
			p := m.look(name, f)
			switch {
			case stage.Changed(changes, packagePath+name) && p.Version.State == stage.None:
				j.add(&j.install, name, p)
			case p.State.Text == apt.HalfInstalled:
				j.add(&j.reinstall, name, p)
			}
		}
		if p := m.look(nvccPackage(v), f); stage.Changed(changes, toolkitPath+v) && p.Version.State == stage.Present {
			j.add(&j.reinstall, nvccPackage(v), p)
		}
	}
	return j
}

func (j *job) add(list *[]string, name string, p part) {
	if slices.Contains(*list, name) {
		return
	}
	*list = append(*list, name)
	if p.Held.Text == "yes" {
		j.held = append(j.held, name)
	}
}

// steps: what is installed without being wanted stays, also an older patch level, which
// moves only when the whole is installed anew.
func (j job) steps(m manager) (steps []stage.Step) {
	if len(j.reinstall) > 0 {
		steps = append(steps, m.reinstall(j.reinstall, j.held))
	}
	if len(j.install) > 0 {
		steps = append(steps, m.install(j.install, j.held))
	}
	if len(j.held) > 0 {
		steps = append(steps, m.hold(j.held))
	}
	return steps
}

// Work sets up the repository where it is not, installs what is missing by exact name,
// and moves the link where that is asked for. nvcc proves it in the look that follows.
func (Kind) Work(in stage.Instance, f stage.Facts, changes []stage.Change) (stage.Work, []stage.Finding) {
	w := wishOf(in.Config)
	m, _ := managerOf(f)
	steps := append([]stage.Step{m.ready()}, nvrepo.Steps(in, f, changes)...)
	steps = append(steps, jobOf(w, m, f, changes).steps(m)...)
	if stage.Changed(changes, defaultPath) {
		steps = append(steps, m.choose(w.standard))
	}
	writes := append(append(nvrepo.Writes(f), w.writes()...), m.writes()...)
	return stage.Work{Steps: steps, Writes: writes, Locks: []string{m.lock()}, TimeoutSeconds: 3600}, nil
}

func (w wish) writes() []stage.Resource {
	writes := []stage.Resource{"path:/usr/local", "path:/etc/alternatives", "path:/etc/ld.so.conf.d"}
	for _, name := range w.all() {
		writes = append(writes, apt.Resource(name))
	}
	return writes
}
