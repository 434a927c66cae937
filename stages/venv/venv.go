// Package venv is the kind that keeps a Python environment made from a hashed lock:
// one folder for each lock, a link that names the current one, and every
// distribution as it was installed.
package venv

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/pdprov/pdprov/internal/hostfile"
	"github.com/pdprov/pdprov/stages/stage"
)

// Kind is the kind "venv".
type Kind struct{}

// Name is "venv".
func (Kind) Name() string { return "venv" }

// Summary says what the kind does.
func (Kind) Summary() string {
	return "A Python environment from a lock with hashes, built beside the old one and switched to by rename."
}

// Schema lists the attributes.
func (Kind) Schema() []stage.Attr {
	return []stage.Attr{
		{Name: "path", Type: stage.String, Required: true, Doc: "Absolute path of the link to the current environment. The environments themselves lie in PATH.d, one for each lock."},
		{Name: "lock", Type: stage.LocalFile, Required: true, Doc: "Requirements file in which every line pins one version and its sha256, as pdprov lock or uv pip compile --generate-hashes writes it; or a pylock.toml with hashes, which uv alone installs."},
		{Name: "requirements", Type: stage.LocalFile, Doc: "What pdprov lock resolves into lock (a requirements.in); plans and applies read the lock alone."},
		{Name: "platform", Type: stage.String, Default: platform, Doc: "What pdprov lock resolves for, as uv pip compile --python-platform takes it; aarch64-manylinux_2_28 for hosts with ARM."},
		{Name: "python", Type: stage.String, Doc: "Version such as \"3.11\", or absolute path of an interpreter; the host's python3 when unset."},
		{Name: "python_source", Type: stage.String, Default: system, OneOf: []string{system, managed}, Doc: "system: an interpreter that is on the host; managed: uv installs the wanted version below " + managedFolder + ", for hosts whose distribution has another one."},
		{Name: "python_mirror", Type: stage.String, Secrets: true, Doc: "Where uv fetches a managed Python instead of the releases of python-build-standalone on GitHub."},
		{Name: "installer", Type: stage.String, Default: "auto", OneOf: []string{"auto", "uv", "pip"}, Doc: "auto takes uv where the host has it, else python -m venv with its pip."},
		{Name: "index_url", Type: stage.String, Secrets: true, Doc: "Package index to use instead of the host's default; it may hold a password, which no command line shows."},
		{Name: "cuda", Type: stage.String, OneOf: backends, Doc: "The build of torch: its packages come from torch's index for this CUDA and nothing else does; the lock must name it (torch==2.11.0+cu130), and torch.cuda is compared."},
		{Name: "torch_index_url", Type: stage.String, Secrets: true, Doc: "A mirror of torch's index for cuda, instead of https://download.pytorch.org/whl/CUDA; hosts fetch from it, pdprov lock resolves from the original."},
		{Name: "no_deps", Type: stage.Bool, Doc: "true: only what the lock names is installed, and no dependency that it leaves out is asked for; for a lock that is thinner than its wheels declare (NIXL without torch)."},
		{Name: "find_links", Type: stage.String, Doc: "Folder on the host with wheels; with it no index is asked."},
		{Name: "keep", Type: stage.Number, Default: float64(2), Doc: "How many environments of earlier locks stay on the host, the last used ones. To go back, apply the earlier lock: its environment is used again when it is whole."},
	}
}

// Values of python_source, and where uv puts the Pythons that it installs.
const (
	system        = "system"
	managed       = "managed"
	managedFolder = "/opt/pdprov/python"
)

// wish is a block read.
type wish struct {
	path, python, installer string
	indexURL, findLinks     string
	keep                    int
	cuda, torchURL          string
	source, mirror          string
	noDeps                  bool
	lock                    lock
	pylock                  bool
	data                    []byte
	sum                     string // sha256 of the lock in hex
	key                     string // name of the environment's folder
}

func read(c stage.Config) wish {
	w := wish{
		path: c.Text("path"), python: c.Text("python"), installer: c.Text("installer"),
		indexURL: c.Text("index_url"), findLinks: c.Text("find_links"), keep: 2,
		source: c.Text("python_source"), mirror: c.Text("python_mirror"), noDeps: c.Bool("no_deps"),
		cuda: c.Text("cuda"), torchURL: c.Text("torch_index_url"),
	}
	if w.installer == "" {
		w.installer = "auto"
	}
	if c.Has("keep") {
		w.keep = int(c.Number("keep"))
	}
	f, _ := c.File("lock")
	w.data = f.Data
	l := readLock(f)
	w.lock, w.pylock = l.lock, l.pylock
	w.sum = hostfile.Digest(f.Data)
	made := w.sum + "\n" + w.python
	if w.source == managed {
		made += "\n" + managed
	}
	key := sha256.Sum256([]byte(made))
	w.key = hex.EncodeToString(key[:8])
	return w
}

// version is the wanted Python version, "" when any will do.
func (w wish) version() string {
	if strings.HasPrefix(w.python, "/") {
		return ""
	}
	return w.python
}

// command is what starts the wanted interpreter: a path, or a name such as
// "python3.11".
func (w wish) command() string {
	if strings.HasPrefix(w.python, "/") {
		return w.python
	}
	parts := strings.Split(w.python, ".")
	if w.python == "" {
		parts = []string{"3"}
	}
	return "python" + strings.Join(parts[:min(2, len(parts))], ".")
}
