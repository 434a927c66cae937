package unit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pdprov/pdprov/internal/hostfile"
	"github.com/pdprov/pdprov/stages/stage"
)

const (
	fileMode = "root:root 0644"
	current  = "current"
	none     = "none"
)

// Want is what the block says.
func (Kind) Want(in stage.Instance, f stage.Facts) (stage.Surface, []stage.Finding) {
	w := read(in)
	if w.absent {
		return stage.Surface{"content": stage.Nothing(), "file_mode": stage.Nothing(), "running": stage.Nothing()}, nil
	}
	s := stage.Surface{}
	if w.content != nil {
		s["content"] = hostfile.Content([]byte(*w.content), false)
		s["file_mode"] = stage.Is(fileMode)
	}
	if w.dropins {
		s["dropins"] = stage.Is(none)
	}
	if w.template() {
		return s, nil
	}
	seen, _ := readState(stateProbe(w.name), f)
	s["reload"] = stage.Is("no")
	if w.enabled != nil {
		s["enabled"] = wantEnabled(w, seen)
	}
	if w.running != nil {
		s["running"] = wantRunning(w, seen)
	}
	if w.process() {
		s["process"] = stage.Is(current)
	}
	return s, nil
}

// wantEnabled: a unit that nothing starts at boot is as good as a disabled one,
// and what does not exist is not enabled.
func wantEnabled(w wish, s state) stage.Value {
	switch {
	case *w.enabled:
		return stage.Is("enabled")
	case s.props != nil && !s.there() && w.content == nil:
		return stage.Nothing()
	case slices.Contains([]string{"static", "masked", "masked-runtime", "indirect", "linked"}, s.enabled):
		return stage.Is(s.enabled)
	}
	return stage.Is("disabled")
}

func wantRunning(w wish, s state) stage.Value {
	switch {
	case *w.running:
		return stage.Is("active")
	case s.props != nil && !s.there() && s.props["ActiveState"] == "inactive" && w.content == nil:
		return stage.Nothing()
	}
	return stage.Is("inactive")
}

// Have is what the host shows.
func (Kind) Have(in stage.Instance, f stage.Facts) stage.Surface {
	w := read(in)
	s := stage.Surface{}
	if w.content != nil || w.absent {
		haveFile(s, w, f)
	}
	if w.template() {
		return s
	}
	seen, unknown := readState(stateProbe(w.name), f)
	if unknown != nil {
		for _, path := range []string{"dropins", "reload", "enabled", "running", "process"} {
			s[path] = *unknown
		}
		return s
	}
	id := stateProbe(w.name).ID
	s["reload"] = stage.Is(seen.props["NeedDaemonReload"])
	if strings.HasPrefix(seen.enabled, "masked") && s["content"].Text == "a symlink" {
		s["content"] = stage.Value{State: stage.Present, Text: "masked", By: s["content"].By}
		s["file_mode"] = s["content"]
	}
	s["enabled"] = seen.haveEnabled(id)
	s["running"] = seen.haveRunning(w)
	s["dropins"] = seen.haveDropins(w)
	switch {
	case !w.process():
	case w.content != nil && s["content"].State == stage.Unknown && seen.active():
		s["process"] = s["content"] // whether the process will be older is as unknown
	default:
		s["process"] = seen.process(in, w, f, fileDiffers(in, w, s))
	}
	return s
}

func haveFile(s stage.Surface, w wish, f stage.Facts) {
	p := fileProbe(w)
	seen := hostfile.Read(p, f)
	both := func(v stage.Value) { s["content"], s["file_mode"] = v, v }
	by := hostfile.By("changed", seen.Changed, seen)
	switch {
	case seen.Type == "" || seen.Type == hostfile.Blocked:
		both(stage.Value{State: stage.Unknown, Reason: seen.Reason, Probe: p.ID})
	case seen.Type == hostfile.Gone:
		both(stage.Nothing())
	case seen.Type != hostfile.File: // a mask is a symlink to /dev/null
		both(stage.Value{State: stage.Present, Text: "a " + string(seen.Type), By: by})
	default:
		var wanted []byte
		if w.content != nil && !w.absent {
			wanted = append([]byte{}, *w.content...)
		}
		s["content"] = seen.Content(wanted, false, p.ID)
		s["file_mode"] = stage.Value{State: stage.Present, Text: fmt.Sprintf("%s:%s %s", seen.Owner, seen.Group, seen.Mode), By: by}
	}
}

// fileDiffers says whether the unit's file is going to be written.
func fileDiffers(in stage.Instance, w wish, s stage.Surface) bool {
	return w.content != nil && !stage.Ignored("content", in.Ignore) && !hostfile.Content([]byte(*w.content), false).Matches(s["content"])
}

func (s state) haveEnabled(probe string) stage.Value {
	switch {
	case !s.there():
		return stage.Nothing()
	case s.enabled == "":
		return stage.Value{State: stage.Unknown, Reason: s.enabledWhy, Probe: probe}
	}
	return stage.Is(s.enabled)
}

func (s state) haveRunning(w wish) stage.Value {
	active := s.props["ActiveState"]
	foreign := w.absent && s.props["FragmentPath"] != "" && s.props["FragmentPath"] != w.path
	switch {
	case foreign, active == "inactive" && (!s.there() || w.absent):
		return stage.Nothing()
	case active == "reloading":
		active = "active"
	}
	return stage.Value{State: stage.Present, Text: active, By: s.lastChange()}
}

// lastChange says how and when the unit came to be as it is.
func (s state) lastChange() string {
	var parts []string
	if t := s.props["StateChangeTimestamp"]; t != "" {
		parts = append(parts, "state change "+t)
	}
	if r := s.props["Result"]; r != "" && r != "success" {
		parts = append(parts, fmt.Sprintf("result %s, exit status %s, %s restarts", r, s.props["ExecMainStatus"], s.props["NRestarts"]))
	}
	return strings.Join(parts, ", ")
}
