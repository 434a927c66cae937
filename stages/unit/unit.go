// Package unit is the kind that keeps one systemd unit: its file, whether it is
// enabled and running, and that what runs is not older than what it was made from.
package unit

import (
	"strings"

	"github.com/pdprov/pdprov/internal/hostfile"
	"github.com/pdprov/pdprov/stages/stage"
	"github.com/pdprov/pdprov/systemd/unit"
)

// Kind is the kind "unit".
type Kind struct{}

// Name is "unit".
func (Kind) Name() string { return "unit" }

// Summary says what the kind does.
func (Kind) Summary() string {
	return "A systemd unit: its file, drop-ins, enabled and running state, and restarts where the process is older than its files."
}

// Values of the attribute ensure.
const (
	present = "present"
	absent  = "absent"
)

// Schema lists the attributes.
func (Kind) Schema() []stage.Attr {
	return []stage.Attr{
		{Name: "name", Type: stage.String, Required: true, Doc: "Name with its suffix: \"web.service\"."},
		{Name: "content", Type: stage.String, Secrets: true, Doc: "The whole unit file, kept in /etc/systemd/system. Unset: an existing unit whose state alone is kept."},
		{Name: "enabled", Type: stage.Bool, Doc: "Whether the unit starts at boot; not compared when unset."},
		{Name: "running", Type: stage.Bool, Doc: "Whether the unit is active now; not compared when unset."},
		{Name: "restart_on", Type: stage.RefList, Doc: "Stages whose path, when it changed after the unit's process started, asks for a restart."},
		{Name: "dropins", Type: stage.StringList, Doc: "Paths of drop-in files that may be there; any other in the unit's own drop-in folders under /etc and /run is removed. Compared when content or this is set."},
		{Name: "ensure", Type: stage.String, Default: present, OneOf: []string{present, absent}, Doc: "absent stops and disables the unit and removes its file."},
	}
}

// wish is a block read.
type wish struct {
	name, path       string
	content          *string // nil: the file is not kept
	enabled, running *bool
	restartOn        []origin
	allowed          map[string]bool // drop-ins
	dropins          bool            // whether drop-ins are compared
	absent           bool
}

// origin is a path whose change asks for a restart.
type origin struct{ addr, path string }

func read(in stage.Instance) wish {
	c := in.Config
	w := wish{name: c.Text("name"), allowed: map[string]bool{}, absent: c.Text("ensure") == absent}
	w.path = folder + w.name
	if c.Has("content") {
		text := c.Text("content")
		w.content = &text
	}
	w.enabled, w.running = flag(c, "enabled"), flag(c, "running")
	for _, p := range c.List("dropins") {
		w.allowed[p] = true
	}
	w.dropins = !w.absent && !w.template() && (c.Has("content") || c.Has("dropins"))
	for _, addr := range c.List("restart_on") {
		if path := pathOf(in.Refs[addr]); path != "" { // Validate refuses the others
			w.restartOn = append(w.restartOn, origin{addr, path})
		}
	}
	return w
}

const folder = "/etc/systemd/system/"

func flag(c stage.Config, name string) *bool {
	if !c.Has(name) {
		return nil
	}
	b := c.Bool(name)
	return &b
}

// pathOf is what a stage keeps on the host, "" when it keeps no path.
func pathOf(r stage.Referred) string {
	if r.Kind == "unit" {
		return folder + r.Config.Text("name")
	}
	return r.Config.Text("path")
}

// template says whether the unit is a template, of which only the file can be kept.
func (w wish) template() bool { return unit.Template(w.name) }

// process says whether the age of the unit's process is compared.
func (w wish) process() bool {
	stopped := w.running != nil && !*w.running
	kept := w.running != nil || w.content != nil || len(w.restartOn) > 0
	return !w.absent && !w.template() && !stopped && kept && strings.HasSuffix(w.name, ".service")
}

// Probes asks for the unit's file, its state, and the times of what it was made from.
func (Kind) Probes(in stage.Instance) []stage.Probe {
	w := read(in)
	var probes []stage.Probe
	if w.content != nil || w.absent {
		probes = append(probes, fileProbe(w))
	}
	if !w.template() {
		probes = append(probes, stateProbe(w.name))
	}
	if w.process() {
		for _, o := range w.restartOn {
			probes = append(probes, hostfile.Stat(o.path))
		}
	}
	return probes
}

func fileProbe(w wish) stage.Probe {
	if w.content == nil {
		return hostfile.Look(w.path, "")
	}
	return hostfile.Look(w.path, hostfile.Digest([]byte(*w.content)))
}
