// Package pyenv reads a Python environment on a host: what it is made of, which
// distributions lie in it, and for which CUDA its torch was built. It starts no Python,
// so an environment that is broken is read as well as one that is whole.
package pyenv

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/pdprov/pdprov/stages/stage"
)

// Env is an environment as it lies on a host.
type Env struct {
	Target string            // what the link says, "" where the path is no link
	Alive  bool              // bin/python can be started
	Config map[string]string // pyvenv.cfg, nil where there is none
	Sites  []string          // "lib/python3.12/site-packages"
	Stamp  Stamp             // what was installed when the environment was completed
	Added  map[string]Stamp  // by the address of the stage that added distributions later
	Dists  map[string][]Dist // by normalised name
	Torch  Torch
	Inject []string // *.pth and sitecustomize.py: files of site-packages that run by themselves
}

// Dist is one distribution as it lies in site-packages.
type Dist struct {
	Version   string // of the folder's name; METADATA of torch says the same, without its CUDA
	Folder    string // "numpy-2.3.5.dist-info"
	Identity  string // digests of RECORD and METADATA, as a Stamp has them
	Broken    string // what is missing, "" when whole
	Installer string // "pip", "uv", "" where unknown
	Direct    string // direct_url.json, "" for what came from an index
}

// Attr is the attribute by which a stage names the environment that it works on.
func Attr() stage.Attr {
	return stage.Attr{
		Name: "venv", Type: stage.Ref, Kinds: []string{"venv"}, OrPath: true, Required: true,
		Doc: "The venv stage whose environment is meant, or the absolute path of an environment that something else makes.",
	}
}

// PathOf is the path of the environment that an instance names by Attr.
func PathOf(in stage.Instance) string {
	venv := in.Config.Text("venv")
	if r, ok := in.Refs[venv]; ok {
		return r.Config.Text("path")
	}
	return venv
}

// Editable says whether a distribution is a folder of sources that can be changed at any
// time, and not what a wheel brought.
func (d Dist) Editable() bool {
	var direct struct {
		Dir struct {
			Editable bool `json:"editable"`
		} `json:"dir_info"`
	}
	return json.Unmarshal([]byte(d.Direct), &direct) == nil && direct.Dir.Editable
}

// There says whether there is an environment at all.
func (e Env) There() bool { return e.Config != nil || len(e.Sites) > 0 }

// Python is the version that pyvenv.cfg names, "3.12.3"; "" where it names none.
func (e Env) Python() string {
	if v := e.Config["version"]; v != "" {
		return v
	}
	return e.Config["version_info"] // uv's name for it
}

// Tag is the interpreter in the words of wheels, "cp312"; "" where the folders of the
// environment do not tell one.
func (e Env) Tag() string {
	if len(e.Sites) != 1 {
		return ""
	}
	version, ok := strings.CutPrefix(strings.Split(e.Sites[0]+"/", "/")[1], "python")
	if !ok {
		return ""
	}
	return "cp" + strings.ReplaceAll(version, ".", "")
}

// AddedBy is the address of the stage that added a distribution, by normalised name;
// "" for one that no stage lists.
func (e Env) AddedBy(name string) string {
	var by []string
	for addr, s := range e.Added {
		if s.Lists(name) {
			by = append(by, addr)
		}
	}
	slices.Sort(by)
	return strings.Join(by, ", ")
}
