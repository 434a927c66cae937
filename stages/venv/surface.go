package venv

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/pdprov/pdprov/internal/hostfile"
	"github.com/pdprov/pdprov/internal/pyenv"
	"github.com/pdprov/pdprov/stages/stage"
)

const (
	installed = "as installed"
	none      = "none"
)

// Want is the lock. The wish for a distribution whose every line has a marker is
// fulfilled by its absence as well, where the environment was completed from this
// lock without it: the installer has evaluated the marker then.
func (Kind) Want(in stage.Instance, _ stage.Facts) (stage.Surface, []stage.Finding) {
	w := read(in.Config)
	s := stage.Surface{
		"link":   stage.Is(w.key),
		"lock":   stage.Is("sha256:" + w.sum),
		"python": stage.SomeValue(),
		"extra":  stage.Is(none),
		"files":  stage.Is(installed),
	}
	if v := w.version(); v != "" {
		s["python"] = stage.Is(v)
	}
	if cuda, asked := w.wantedCUDA(); asked {
		s[torchPath] = stage.Is(cuda)
	}
	for name, pins := range w.lock {
		s["dist."+name] = stage.Is(versions(pins))
		s["dist."+name+".record"] = stage.Is(installed)
	}
	return s, nil
}

// Have is the environment that the link leads to. An interpreter that could not be
// looked at may be gone, and files that were not compared may be others.
func (Kind) Have(in stage.Instance, f stage.Facts) stage.Surface {
	w := read(in.Config)
	files, unknownFiles := pyenv.ReadFiles(w.path, in.Deep, f)
	_, unknownTools := readTools(w, f)
	s := w.have(files, f)
	for path, unknown := range map[string]*stage.Value{"files": unknownFiles, "python": unknownTools} {
		if unknown != nil && s[path].State != stage.Unknown {
			s[path] = *unknown
		}
	}
	return s
}

func (w wish) have(files pyenv.Files, f stage.Facts) stage.Surface {
	link := hostfile.Stat(w.path)
	at := hostfile.Read(link, f)
	e, unknown := pyenv.Read(w.path, f)
	switch {
	case at.Type == "" || at.Type == hostfile.Blocked:
		return w.all(stage.Value{State: stage.Unknown, Reason: at.Reason, Probe: link.ID})
	case unknown != nil:
		return w.all(*unknown)
	case at.Type == hostfile.Gone:
		return w.all(stage.Nothing())
	case at.Type != hostfile.Symlink:
		s := w.all(stage.Nothing())
		s["link"] = stage.Is("a " + string(at.Type))
		return s
	case e.Target == "":
		return w.all(stage.Value{State: stage.Unknown, Reason: "the link was seen by stat and not by sh", Probe: pyenv.Probe(w.path).ID})
	}
	s := w.surface(e, hostfile.By("link written", at.Modified, at))
	s["files"] = filesOf(e, files)
	if len(files.Unowned) > 0 {
		s["unowned"] = stage.Is(strings.Join(files.Unowned, ", "))
	}
	return s
}

func (w wish) all(v stage.Value) stage.Surface {
	s := stage.Surface{"link": v, "lock": v, "python": v, "extra": v, "files": v}
	if _, asked := w.wantedCUDA(); asked {
		s[torchPath] = v
	}
	for name := range w.lock {
		s["dist."+name], s["dist."+name+".record"] = v, v
	}
	return s
}

func (w wish) surface(e pyenv.Env, by string) stage.Surface {
	s := stage.Surface{
		"link":   {State: stage.Present, Text: w.folderKey(e.Target), By: by},
		"lock":   stage.Nothing(),
		"python": w.pythonOf(e),
		"extra":  w.extra(e),
	}
	if _, asked := w.wantedCUDA(); asked || e.Torch.There && e.Torch.Trouble == "" {
		s[torchPath] = cudaOf(e.Torch, w.path)
	}
	for name, dists := range e.Dists {
		if _, locked := w.lock[name]; !locked && e.AddedBy(name) != "" {
			s["added."+name] = stage.Is(text(dists[0]) + " by " + e.AddedBy(name))
		}
	}
	if e.Stamp.Lock != "" {
		s["lock"] = stage.Is("sha256:" + e.Stamp.Lock)
	}
	for name, pins := range w.lock {
		s["dist."+name], s["dist."+name+".record"] = w.dist(e, name, pins)
	}
	return s
}

// folderKey is the key of the folder that a link names; a rebuilt environment has
// "-r1" and so on behind it. Any other target is given as it is.
func (w wish) folderKey(target string) string {
	name, ok := strings.CutPrefix(target, path.Base(w.path)+".d/")
	if !ok {
		return target
	}
	key, again, rebuilt := strings.Cut(name, "-r")
	if rebuilt && (again == "" || strings.Trim(again, "0123456789") != "") {
		return target
	}
	return key
}

// pythonOf is the version as precise as the wish is.
func (w wish) pythonOf(e pyenv.Env) stage.Value {
	version := e.Python()
	switch {
	case version == "" && !e.Alive:
		return stage.Nothing()
	case !e.Alive:
		return stage.Is(version + " (broken: bin/python cannot be started)")
	case e.Config["include-system-site-packages"] == "true":
		return stage.Is(version + " (with the system's packages)")
	}
	if n := len(strings.Split(w.version(), ".")); w.version() != "" {
		parts := strings.Split(version, ".")
		version = strings.Join(parts[:min(n, len(parts))], ".")
	}
	return stage.Is(version)
}

// brought are what python -m venv installs by itself; they may be there unasked.
var brought = []string{"pip", "setuptools", "wheel"}

// extra lists what lies in site-packages, is not in the lock and was added by no stage.
func (w wish) extra(e pyenv.Env) stage.Value {
	var extra []string
	for name, dists := range e.Dists {
		if _, locked := w.lock[name]; locked || slices.Contains(brought, name) || e.AddedBy(name) != "" {
			continue
		}
		for _, d := range dists {
			extra = append(extra, name+" "+text(d))
		}
	}
	if len(extra) == 0 {
		return stage.Is(none)
	}
	slices.Sort(extra)
	return stage.Is(strings.Join(extra, ", "))
}

func text(d pyenv.Dist) string {
	switch {
	case d.Broken != "":
		return d.Broken
	case d.Editable():
		return d.Version + " (editable, from a folder of sources)"
	}
	return d.Version
}

// dist compares one name of the lock with what is there.
func (w wish) dist(e pyenv.Env, name string, pins []pin) (version, record stage.Value) {
	found := e.Dists[name]
	unasked := marked(pins) && e.Stamp.Lock == w.sum && !e.Stamp.Lists(name)
	switch {
	case len(found) == 0 && unasked:
		return stage.Is(versions(pins)), stage.Is(installed)
	case len(found) == 0:
		return stage.Nothing(), stage.Nothing()
	case len(found) > 1:
		var all []string
		for _, d := range found {
			all = append(all, text(d))
		}
		return stage.Is(strings.Join(all, " and ")), stage.Is(fmt.Sprintf("%d times", len(found)))
	}
	d := found[0]
	version = stage.Is(text(d))
	if d.Broken == "" && !d.Editable() && slices.ContainsFunc(pins, func(p pin) bool { return pyenv.SameVersion(p.version, d.Version) }) {
		version = stage.Is(versions(pins))
	}
	return version, stage.Is(recordOf(e.Stamp, d))
}

// recordOf says whether a distribution is the one that was installed.
func recordOf(s pyenv.Stamp, d pyenv.Dist) string {
	switch {
	case s.Lock == "":
		return "not known to pdprov"
	case s.Knows(d):
		return installed
	}
	return "changed since it was installed"
}
