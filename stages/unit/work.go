package unit

import (
	"strings"

	"github.com/pdprov/pdprov/internal/hostfile"
	"github.com/pdprov/pdprov/internal/posixsh"
	"github.com/pdprov/pdprov/stages/stage"
)

// Work writes the file, lets systemd read it, and then sets enabled and running.
func (Kind) Work(in stage.Instance, f stage.Facts, changes []stage.Change) (stage.Work, []stage.Finding) {
	w := read(in)
	seen, _ := readState(stateProbe(w.name), f)
	j := job{w: w, seen: seen, changes: changes}
	work := stage.Work{Writes: []stage.Resource{stage.Resource("unit:" + w.name), stage.Resource("path:" + w.path)}}
	if found := j.refuse(in, f); found != nil {
		return stage.Work{}, found
	}
	if w.absent {
		j.remove()
	} else {
		j.files()
		j.enablement()
		work.Impact = j.activity()
	}
	if (w.absent || w.running != nil && !*w.running) && seen.active() {
		work.Impact = stage.Downtime
	}
	if work.Impact != stage.NoImpact {
		work.ImpactOn = w.name
	}
	if w.dropins {
		work.Writes = append(work.Writes, stage.Resource("path:"+w.path+".d"))
	}
	work.Steps = j.steps
	return work, nil
}

// job gathers the steps of one unit.
type job struct {
	w       wish
	seen    state
	changes []stage.Change
	steps   []stage.Step
}

func (j *job) changed(path string) bool { return stage.Changed(j.changes, path) }

func (j *job) add(title, script string) {
	j.steps = append(j.steps, stage.Step{Title: title, Script: script})
}

// onUnit adds a script that finds the unit's name in $unit.
func (j *job) onUnit(title, script string) {
	j.add(title+" "+j.w.name, "unit="+posixsh.Quote(j.w.name)+"\n"+script)
}

// refuse says what cannot come true.
func (j *job) refuse(in stage.Instance, f stage.Facts) []stage.Finding {
	if j.w.content != nil || j.w.absent {
		seen := hostfile.Read(fileProbe(j.w), f)
		if seen.There() && seen.Type != hostfile.File && seen.Type != hostfile.Symlink {
			return []stage.Finding{{
				Path: "name", Summary: "Not a file where the unit file belongs",
				Detail: j.w.path + " is a " + string(seen.Type) + ". pdprov does not remove it.",
			}}
		}
		return nil
	}
	starts := j.w.running != nil && *j.w.running || j.w.enabled != nil && *j.w.enabled
	switch {
	case starts && !j.seen.there() && len(in.Pending) == 0:
		return []stage.Finding{{Path: "name", Summary: "No such unit", Detail: "There is no unit " + j.w.name +
			". Give its content, or let this stage depend on the stage that installs it."}}
	case j.changed("enabled") && *j.w.enabled && (j.seen.enabled == "static" || j.seen.enabled == "generated" || j.seen.enabled == "transient"):
		return []stage.Finding{{Path: "enabled", Summary: "This unit cannot be enabled", Detail: j.w.name +
			" is " + j.seen.enabled + ": it has no [Install] section, so nothing can start it at boot by itself. Leave enabled unset."}}
	}
	return nil
}

// files brings unit file and drop-ins in order. A mask is a symlink at the file's
// place; it goes first, because systemd refuses to start what is masked.
func (j *job) files() {
	masked := strings.HasPrefix(j.seen.enabled, "masked") && (j.changed("enabled") || j.changed("running") || j.changed("content"))
	if masked {
		j.onUnit("unmask", unmask)
	}
	foreign := j.seen.foreign(j.w)
	if j.changed("dropins") && len(foreign) > 0 {
		j.add("remove drop-ins of "+j.w.name, "rm -f -- "+posixsh.Words(foreign...)+"\n")
	}
	switch {
	case j.changed("content"):
		j.steps = append(j.steps, hostfile.Write("write "+j.w.path, hostfile.Wish{
			Path: j.w.path, Data: []byte(*j.w.content), Mode: "0644", Owner: "root", Group: "root",
		}))
	case j.changed("file_mode"):
		path := posixsh.Quote(j.w.path)
		j.add("set owner and mode of "+j.w.path, "chown -- root:root "+path+"\nchmod -- 0644 "+path+"\n")
	}
	// A new drop-in folder does not show in NeedDaemonReload (systemd 252), so no
	// restart goes without.
	if masked || j.changed("content") || j.changed("dropins") || j.changed("reload") || j.changed("process") {
		j.add("let systemd read its unit files", reload)
	}
}

func (j *job) enablement() {
	switch {
	case !j.changed("enabled"):
	case *j.w.enabled:
		j.onUnit("enable", enable)
	default:
		j.onUnit("disable", disable)
	}
}

// activity starts, restarts or stops, and says what that does to users.
func (j *job) activity() stage.Impact {
	switch {
	case j.w.running != nil && !*j.w.running:
		if j.changed("running") {
			j.onUnit("stop", stop)
		}
	case j.changed("process"), j.changed("running") && j.seen.active():
		j.onUnit("restart", "verb=restart\n"+start)
		return stage.Restart
	case j.changed("running"):
		j.onUnit("start", "verb=start\n"+start)
	}
	return stage.NoImpact
}

func (j *job) remove() {
	j.onUnit("stop and disable", stopAndDisable)
	j.add("remove "+j.w.path, "rm -f -- "+posixsh.Quote(j.w.path)+"\n")
	j.onUnit("let systemd forget", reload+forget)
}
