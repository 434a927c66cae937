// Package model is what plan files mean: hosts and stages with every expression
// evaluated, and for each value the place in the files that it came from.
package model

import (
	"regexp"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/pdprov/pdprov/stages/stage"
)

// Deployment is the meaning of one set of plan files.
type Deployment struct {
	Hosts  []Host  // in order of declaration
	Stages []Stage // in order of declaration, for_each and modules expanded
	// Sources holds the text of every file that was read, by the name that its
	// diagnostics use.
	Sources map[string]*hcl.File
	// PlainVariables are the names of the plan's variables that are not sensitive:
	// their values may be kept in a saved plan.
	PlainVariables []string
	// Secrets are the texts in sensitive variables, as they may be printed.
	Secrets []string
	// Unset are the plan's variables without a value, where only the hosts were asked for
	// and something in the plan is sensitive: Hide cannot know what is made of them.
	Unset []string
	// Deep asks every stage to look at what takes long: the command line says so.
	Deep bool
}

// Host is one machine.
type Host struct {
	Name        string
	Address     string // name or address to dial, an alias of the SSH configuration, or "local"
	User        string // "" leaves it to the SSH configuration
	Port        int    // 0 leaves it to the SSH configuration
	Identity    string // path of a private key; "" leaves it to the SSH configuration and the agent
	Sudo        bool
	Labels      map[string]string
	Environment map[string]string // given to every job on this host
	Range       hcl.Range
}

// Stage is one stage; it may run on several hosts.
type Stage struct {
	Addr   string // "file.motd", "module.x.file.motd", `file.motd["a"]`
	Kind   string
	Dir    string   // folder of the plan file, from which its local files are named
	Hosts  []string // names, in order of declaration
	Config stage.Config
	// Refs are the stages that Config refers to, DependsOn those listed as such;
	// both by address, sorted, without doubles.
	Refs      []string
	DependsOn []string
	// Ignore lists surface paths that are not compared; "dist.*" matches below.
	Ignore []string
	Range  hcl.Range
	// Ranges finds the place of an attribute path: "mode", `packages["jq"]`, "archs[0]".
	Ranges map[string]hcl.Range
}

// modulePath is an address of a module: "module.x", "module.x.module.y".
var modulePath = regexp.MustCompile(`^module\.[^.\[]+(\.module\.[^.\[]+)*$`)

// Stage finds a stage by its address.
func (d *Deployment) Stage(addr string) (*Stage, bool) {
	for i := range d.Stages {
		if d.Stages[i].Addr == addr {
			return &d.Stages[i], true
		}
	}
	return nil, false
}

// Below lists the stages that an address means, in order of declaration: one stage, all
// of a for_each, or all of a module.
func (d *Deployment) Below(addr string) (list []string) {
	module := modulePath.MatchString(addr)
	for i := range d.Stages {
		a := d.Stages[i].Addr
		if a == addr || strings.HasPrefix(a, addr+"[") || module && strings.HasPrefix(a, addr+".") {
			list = append(list, a)
		}
	}
	return list
}

// Hide takes what is sensitive out of a text that a host said about a stage: the values of
// the stage, and those of the plan's variables, which it may meet in a file of another.
func (d *Deployment) Hide(addr, text string) string {
	if st, ok := d.Stage(addr); ok {
		return stage.Conceal(text, d.Secrets, st.Config.Secrets())
	}
	return stage.Conceal(text, d.Secrets)
}

// Host finds a host by its name.
func (d *Deployment) Host(name string) (*Host, bool) {
	for i := range d.Hosts {
		if d.Hosts[i].Name == name {
			return &d.Hosts[i], true
		}
	}
	return nil, false
}

// RangeOf finds the place of an attribute path, or the nearest one above it.
func (s *Stage) RangeOf(path string) hcl.Range {
	for path != "" {
		if r, ok := s.Ranges[path]; ok {
			return r
		}
		path = path[:max(strings.LastIndexAny(path, "[."), 0)]
	}
	return s.Range
}

// Diagnostic gives a finding its place in the files.
func (s *Stage) Diagnostic(f stage.Finding) *hcl.Diagnostic {
	severity := hcl.DiagError
	if f.Severity == stage.Warning {
		severity = hcl.DiagWarning
	}
	r := s.RangeOf(f.Path)
	return &hcl.Diagnostic{Severity: severity, Summary: f.Summary, Detail: f.Detail, Subject: &r}
}
