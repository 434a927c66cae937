package cuda

import (
	"slices"
	"strings"

	"github.com/pdprov/pdprov/internal/apt"
	"github.com/pdprov/pdprov/internal/nvrepo"
	"github.com/pdprov/pdprov/internal/posixsh"
	"github.com/pdprov/pdprov/stages/stage"
)

// job is what has to be done, by package name.
type job struct {
	install   []string
	reinstall []string // there by dpkg's books, but half-installed or without nvcc
	held      []string // of these: held now; the plan names them, so they may change
}

func jobOf(w wish, f stage.Facts, changes []stage.Change) job {
	var j job
	for _, v := range w.versions {
		for _, name := range w.packages(v) {
			p := apt.Look(name, f)
			switch {
			case stage.Changed(changes, packagePath+name) && p.Version.State == stage.None:
				j.add(&j.install, name, p)
			case p.State.Text == apt.HalfInstalled:
				j.add(&j.reinstall, name, p)
			}
		}
		if p := apt.Look(nvccPackage(v), f); stage.Changed(changes, toolkitPath+v) && p.Version.State == stage.Present {
			j.add(&j.reinstall, nvccPackage(v), p)
		}
	}
	return j
}

func (j *job) add(list *[]string, name string, p apt.Package) {
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
func (j job) steps() (steps []stage.Step) {
	held := posixsh.Quote(strings.Join(j.held, " "))
	if len(j.reinstall) > 0 {
		steps = append(steps, apt.Step("reinstall "+strings.Join(j.reinstall, " "),
			"refresh_old_lists", "reinstall '' "+held+" "+posixsh.Words(j.reinstall...)))
	}
	if len(j.install) > 0 {
		steps = append(steps, apt.Step("install "+strings.Join(j.install, " "),
			"refresh_old_lists", "know "+posixsh.Words(j.install...), "transact '' "+held+" "+posixsh.Words(j.install...)))
	}
	if len(j.held) > 0 {
		steps = append(steps, apt.Step("hold "+strings.Join(j.held, " "), "wait_for_locks", "apt-mark hold "+posixsh.Words(j.held...)))
	}
	return steps
}

// Work sets up the repository where it is not, installs what is missing by exact name,
// and moves the link where that is asked for. nvcc proves it in the look that follows.
func (Kind) Work(in stage.Instance, f stage.Facts, changes []stage.Change) (stage.Work, []stage.Finding) {
	w := wishOf(in.Config)
	steps := append([]stage.Step{apt.Ready()}, nvrepo.Steps(in, f, changes)...)
	steps = append(steps, jobOf(w, f, changes).steps()...)
	if stage.Changed(changes, defaultPath) {
		steps = append(steps, stage.Step{
			Title:  "choose " + w.standard + " for /usr/local/cuda",
			Script: posixsh.Words("update-alternatives", "--set", "cuda", "/usr/local/cuda-"+w.standard) + "\n",
		})
	}
	return stage.Work{Steps: steps, Writes: w.writes(), Locks: []string{"apt"}, TimeoutSeconds: 3600}, nil
}

func (w wish) writes() []stage.Resource {
	writes := append(nvrepo.Writes(), "path:/usr/local", "path:/etc/alternatives", "path:/etc/ld.so.conf.d")
	for _, name := range w.all() {
		writes = append(writes, apt.Resource(name))
	}
	return writes
}
