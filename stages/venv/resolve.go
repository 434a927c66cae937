package venv

import (
	"fmt"
	"path"
	"strings"

	"github.com/pdprov/pdprov/stages/stage"
)

// platform is what a lock is resolved for where the plan does not say.
const platform = "x86_64-manylinux_2_28"

// Lock resolves requirements into the lock, for the Python and the CUDA of the plan.
func (Kind) Lock(in stage.Instance) (stage.Resolution, bool, []stage.Finding) {
	if !in.Config.Has("requirements") {
		return stage.Resolution{}, false, nil
	}
	w := read(in.Config)
	version := w.version()
	if version == "" {
		version, _ = strings.CutPrefix(path.Base(w.python), "python")
	}
	if !pythonVersion(version) || !strings.Contains(version, ".") {
		return stage.Resolution{}, true, []stage.Finding{{
			Path: "python", Summary: "Which Python to resolve for",
			Detail: fmt.Sprintf("A lock is for one Python, and the plan does not say which: give python = \"3.12\", not %q.", w.python),
		}}
	}
	r := stage.Resolution{
		From: "requirements", To: "lock", Program: "uv",
		Remedy: "Install it on this machine (pip install uv, or https://docs.astral.sh/uv); hosts need it only to install a pylock.toml.",
		Args: []string{
			"pip", "compile", "--quiet", "--generate-hashes", "--custom-compile-command", "pdprov lock",
			"--python-version", version, "--python-platform", in.Config.Text("platform"),
		},
		Env: map[string]string{},
	}
	if w.cuda != "" {
		r.Args = append(r.Args, "--torch-backend", w.cuda)
	}
	if w.indexURL != "" {
		r.Env["UV_DEFAULT_INDEX"] = w.indexURL
	}
	if w.pylock {
		r.Args = append(r.Args, "--format", "pylock.toml")
	}
	r.Args = append(r.Args, "--output-file", stage.ToFile, stage.FromFile)
	return r, true, nil
}
