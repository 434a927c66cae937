package unit

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pdprov/pdprov/internal/hostfile"
	"github.com/pdprov/pdprov/stages/stage"
)

// process compares the start of the unit's process with the last change of
// everything that it was made from. Both are wall-clock times that the host
// recorded. Where no process runs, none is old.
func (s state) process(in stage.Instance, w wish, f stage.Facts, differs bool) stage.Value {
	if !s.active() {
		return stage.Is(current)
	}
	started, ok := s.started()
	switch {
	case s.filesWhy != "":
		return s.unknown(w, s.filesWhy)
	case !ok:
		return s.unknown(w, fmt.Sprintf("systemctl gives no start of the process: %q", s.props["ExecMainStartTimestamp"]))
	}
	sources, unknown := s.sources(w, f)
	if unknown != nil {
		return *unknown
	}
	if v, will := s.willChange(in, w, differs); will {
		return v
	}
	return s.compare(started, sources)
}

func (s state) active() bool {
	return slices.Contains([]string{"active", "activating", "reloading"}, s.props["ActiveState"])
}

func (s state) unknown(w wish, why string) stage.Value {
	return stage.Value{State: stage.Unknown, Reason: why, Probe: stateProbe(w.name).ID}
}

// willChange predicts: what this plan writes first will be newer than the process.
func (s state) willChange(in stage.Instance, w wish, differs bool) (stage.Value, bool) {
	older := func(what string) (stage.Value, bool) {
		return stage.Value{State: stage.Present, Text: "older than " + what, Follows: true}, true
	}
	foreign := s.foreign(w)
	switch {
	case differs:
		return older(w.path + " (will change)")
	case w.dropins && len(foreign) > 0 && !stage.Ignored("dropins", in.Ignore):
		return older(foreign[0] + " (will be removed)")
	case s.props["NeedDaemonReload"] == "yes":
		return stage.Is("older than its unit files, which systemd has not loaded yet"), true
	}
	for _, o := range w.restartOn {
		if in.Pending[o.addr] {
			return older(o.path + " (will change)")
		}
	}
	return stage.Value{}, false
}

// started is when the main process was started; a unit without one, as of
// Type=forking or a oneshot with several commands, counts from its activation.
func (s state) started() (time.Time, bool) {
	for _, key := range []string{"ExecMainStartTimestamp", "ActiveEnterTimestamp"} {
		if t, err := time.Parse("Mon 2006-01-02 15:04:05.999999 MST", s.props[key]); err == nil {
			return t.UTC(), true
		}
	}
	return time.Time{}, false
}

// source is something that the process was made from.
type source struct {
	path    string
	changed time.Time
}

func (s state) sources(w wish, f stage.Facts) ([]source, *stage.Value) {
	var all []source
	for path, t := range s.files {
		if path == s.props["FragmentPath"] || path == "/usr"+s.props["FragmentPath"] || w.owns(path) {
			all = append(all, source{path, t})
		}
	}
	for _, o := range w.restartOn {
		p := hostfile.Stat(o.path)
		seen := hostfile.Read(p, f)
		if seen.Type == "" {
			return nil, &stage.Value{State: stage.Unknown, Reason: seen.Reason, Probe: p.ID}
		}
		if seen.There() {
			all = append(all, source{o.path, seen.Modified})
		}
	}
	slices.SortFunc(all, func(a, b source) int {
		return max(min(b.changed.Compare(a.changed)*2+strings.Compare(a.path, b.path), 1), -1)
	})
	return all, nil
}

// owns says whether a path is a drop-in that counts for the unit, or a folder of
// such: the time of the unit's own folder shows that a drop-in was removed.
func (w wish) owns(path string) bool {
	if slices.ContainsFunc(changeable, func(dir string) bool { return path == dir+w.name+".d" }) {
		return true
	}
	at := strings.LastIndexByte(path, '/')
	dir := path[:at]
	suffix := w.name[strings.LastIndexByte(w.name, '.')+1:]
	instance, _, _ := strings.Cut(w.name, "@")
	for _, name := range []string{w.name, instance + "@." + suffix, suffix} {
		if strings.HasSuffix(dir, "/"+name+".d") {
			return true
		}
	}
	return false
}

// compare takes sources with the newest first. A time that the host's own clock has
// not reached yet cannot be waited out by a restart, so it is only mentioned.
func (s state) compare(started time.Time, sources []source) stage.Value {
	by := "process started " + stamp(started)
	for _, src := range sources {
		switch {
		case src.changed.After(s.now):
			by += fmt.Sprintf("; %s has a time in the future: %s", src.path, stamp(src.changed))
		case src.changed.After(started):
			return stage.Value{State: stage.Present, Text: "older than " + src.path, By: by + ", " + src.path + " changed " + stamp(src.changed)}
		}
	}
	return stage.Value{State: stage.Present, Text: current, By: by}
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05.000000 -0700") }
