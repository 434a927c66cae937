package venv

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/pdprov/pdprov/internal/hostfile"
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
	}
	if v := w.version(); v != "" {
		s["python"] = stage.Is(v)
	}
	for name, pins := range w.lock {
		s["dist."+name] = stage.Is(versions(pins))
		s["dist."+name+".record"] = stage.Is(installed)
	}
	return s, nil
}

// Have is the environment that the link leads to.
func (Kind) Have(in stage.Instance, f stage.Facts) stage.Surface {
	w := read(in.Config)
	link := hostfile.Stat(w.path)
	at := hostfile.Read(link, f)
	l, unknown := readLook(lookProbe(w), f)
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
	case l.target == "":
		return w.all(stage.Value{State: stage.Unknown, Reason: "the link was seen by stat and not by sh", Probe: lookProbe(w).ID})
	}
	return l.surface(w, hostfile.By("link written", at.Modified, at))
}

func (w wish) all(v stage.Value) stage.Surface {
	s := stage.Surface{"link": v, "lock": v, "python": v, "extra": v}
	for name := range w.lock {
		s["dist."+name], s["dist."+name+".record"] = v, v
	}
	return s
}

func (l look) surface(w wish, by string) stage.Surface {
	s := stage.Surface{
		"link":   {State: stage.Present, Text: w.folderKey(l.target), By: by},
		"lock":   stage.Nothing(),
		"python": l.python(w),
		"extra":  l.extra(w),
	}
	if l.stamp.lock != "" {
		s["lock"] = stage.Is("sha256:" + l.stamp.lock)
	}
	for name, pins := range w.lock {
		s["dist."+name], s["dist."+name+".record"] = l.dist(w, name, pins)
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

// python is the version as precise as the wish is.
func (l look) python(w wish) stage.Value {
	version := l.config["version"]
	if version == "" {
		version = l.config["version_info"] // uv's name for it
	}
	switch {
	case version == "" && !l.alive:
		return stage.Nothing()
	case !l.alive:
		return stage.Is(version + " (broken: bin/python cannot be started)")
	case l.config["include-system-site-packages"] == "true":
		return stage.Is(version + " (with the system's packages)")
	}
	if n := len(strings.Split(w.version(), ".")); w.version() != "" {
		parts := strings.Split(version, ".")
		version = strings.Join(parts[:min(n, len(parts))], ".")
	}
	return stage.Is(version)
}

// tools are what python -m venv brings by itself; they may be there unasked.
var tools = []string{"pip", "setuptools", "wheel"}

// extra lists what lies in site-packages and is not in the lock.
func (l look) extra(w wish) stage.Value {
	var extra []string
	for name, dists := range l.dists {
		if _, locked := w.lock[name]; locked || slices.Contains(tools, name) {
			continue
		}
		for _, d := range dists {
			extra = append(extra, name+" "+d.text())
		}
	}
	if len(extra) == 0 {
		return stage.Is(none)
	}
	slices.Sort(extra)
	return stage.Is(strings.Join(extra, ", "))
}

func (d dist) text() string {
	if d.broken != "" {
		return d.broken
	}
	return d.version
}

// dist compares one name of the lock with what is there.
func (l look) dist(w wish, name string, pins []pin) (version, record stage.Value) {
	found := l.dists[name]
	unasked := marked(pins) && l.stamp.lock == w.sum && !l.stamp.lists(name)
	switch {
	case len(found) == 0 && unasked:
		return stage.Is(versions(pins)), stage.Is(installed)
	case len(found) == 0:
		return stage.Nothing(), stage.Nothing()
	case len(found) > 1:
		var all []string
		for _, d := range found {
			all = append(all, d.text())
		}
		return stage.Is(strings.Join(all, " and ")), stage.Is(fmt.Sprintf("%d times", len(found)))
	}
	d := found[0]
	version = stage.Is(d.text())
	if d.broken == "" && slices.ContainsFunc(pins, func(p pin) bool { return sameVersion(p.version, d.version) }) {
		version = stage.Is(versions(pins))
	}
	return version, stage.Is(l.stamp.recordOf(d))
}

// lists says whether a name was there when the environment was completed.
func (s stamp) lists(name string) bool {
	for folder := range s.dists {
		if other, _ := distOf(folder, nil); other == name {
			return true
		}
	}
	return false
}

// recordOf says whether a distribution is byte for byte the one that was installed,
// as far as its own list of files tells.
func (s stamp) recordOf(d dist) string {
	switch {
	case s.lock == "":
		return "not known to pdprov"
	case slices.Contains(s.identities(), d.identity):
		return installed
	}
	return "changed since it was installed"
}

func (s stamp) identities() []string {
	var all []string
	for _, id := range s.dists {
		all = append(all, id)
	}
	return all
}
