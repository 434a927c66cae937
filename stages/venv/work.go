package venv

import (
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/pdprov/pdprov/internal/hostfile"
	"github.com/pdprov/pdprov/internal/posixsh"
	"github.com/pdprov/pdprov/internal/pyenv"
	"github.com/pdprov/pdprov/stages/stage"
)

// buildSeconds bounds a build: a lock with CUDA wheels is 6 GB to fetch.
const buildSeconds = 2 * 60 * 60

// Work builds an environment beside the current one and switches the link to it.
// One that drifted is built anew, never repaired in place: whoever uses it goes on
// with what it has loaded.
func (Kind) Work(in stage.Instance, f stage.Facts, changes []stage.Change) (stage.Work, []stage.Finding) {
	w := read(in.Config)
	t, _ := readTools(w, f)
	at := hostfile.Read(hostfile.Stat(w.path), f)
	if at.There() && at.Type != hostfile.Symlink {
		return stage.Work{}, []stage.Finding{{
			Path: "path", Summary: "Something else lies at this path",
			Detail: fmt.Sprintf("%q is a %s, where pdprov keeps a link to the current environment. Move it away or choose another path.", w.path, at.Type),
		}}
	}
	found := t.lacks(w, in)
	if len(found) > 0 && found[0].Severity == stage.Error {
		return stage.Work{}, found
	}
	writes := []stage.Resource{stage.Resource("path:" + w.path), stage.Resource("path:" + w.path + ".d")}
	if w.source == managed {
		writes = append(writes, "path:"+managedFolder)
	}
	return stage.Work{
		Steps:          []stage.Step{w.step(stage.Changed(changes, "link"))},
		Writes:         writes,
		Locks:          []string{"net"},
		TimeoutSeconds: buildSeconds,
	}, found
}

// lacks says which tool is missing. Where another stage changes the host first,
// that stage may bring it, so it is only a warning.
func (t tools) lacks(w wish, in stage.Instance) []stage.Finding {
	var summary, detail string
	switch usesPip := w.installer == "pip" || w.installer == "auto" && !t.uv; {
	case w.pylock && !t.uv:
		summary, detail = "No uv", "A pylock.toml is installed by uv, and there is none on the PATH, in /usr/local/bin or in /root/.local/bin. Install it, or take a lock in the form of requirements."
	case w.source == managed && !t.uv:
		summary, detail = "No uv", "python_source = \"managed\" has uv install Python, and there is no uv on the PATH, in /usr/local/bin or in /root/.local/bin."
	case w.source == managed:
		return nil
	case w.installer == "uv" && !t.uv:
		summary, detail = "No uv", "installer = \"uv\", but there is no uv on the PATH, in /usr/local/bin or in /root/.local/bin."
	case usesPip && t.base == "":
		summary, detail = "No Python", "There is no "+w.command()+". Install it with a package stage that this stage depends on."
	case usesPip && t.nopip != "":
		summary, detail = "No venv module", "Python cannot make environments: "+t.nopip+
			" has no ensurepip. Install the package python3-venv with a package stage that this stage depends on."
	default:
		return nil
	}
	f := stage.Finding{Path: "python", Summary: summary, Detail: detail}
	if len(in.Pending) > 0 {
		f.Severity = stage.Warning
	}
	return []stage.Finding{f}
}

// step hands everything to one script. switching says that the link is to lead
// elsewhere, so an environment that is whole already may be used as it is.
func (w wish) step(switching bool) stage.Step {
	rebuild, noDeps := "yes", ""
	if w.noDeps {
		noDeps = "yes"
	}
	if switching {
		rebuild = ""
	}
	name := "lock"
	if w.pylock {
		name = "pylock.toml" // uv knows the format by the name
	}
	files := []stage.File{{Name: name, Data: w.data}, {Name: "compare.sh", Data: []byte(pyenv.Compare)}, {Name: "build.sh", Data: build}}
	if w.indexURL != "" { // may hold a password, so it must not be seen in a command line
		files = append(files, stage.File{Name: "index_url", Data: []byte(w.indexURL)})
	}
	if w.mirror != "" {
		files = append(files, stage.File{Name: "python_mirror", Data: []byte(w.mirror)})
	}
	if w.cuda != "" && !w.pylock {
		files = append(files, stage.File{Name: "torch.lock", Data: w.torchLock()}, stage.File{Name: "torch_index_url", Data: []byte(w.torchIndex())})
	}
	return stage.Step{
		Title: "build the environment " + w.key + " and switch " + title(w.path) + " to it",
		Script: "# shellcheck disable=SC2034 # build.sh reads them\n{\n" + assign(
			"path", w.path, "parent", path.Dir(w.path), "base", path.Base(w.path), "key", w.key, "lock", w.sum,
			"command", w.command(), "version", w.version(), "installer", w.installer, "find_links", w.findLinks, "backend", w.backend(), "no_deps", noDeps, "source", w.source, "managed", managedFolder,
			"keep", strconv.Itoa(w.keep), "rebuild", rebuild,
		) + "}\n# shellcheck source=/dev/null\n. \"$PDPROV_FILES/compare.sh\"\n# shellcheck source=/dev/null\n. \"$PDPROV_FILES/build.sh\"\n",
		Files: files,
		Env:   map[string]string{"UV_PYTHON_DOWNLOADS": "never", "PIP_DISABLE_PIP_VERSION_CHECK": "1"},
	}
}

// backend is what uv is told of torch; with a mirror the part of the lock that is torch's
// is installed first, from there alone.
func (w wish) backend() string {
	if w.torchURL != "" || w.findLinks != "" || w.pylock {
		return ""
	}
	return w.cuda
}

func assign(pairs ...string) string {
	var b strings.Builder
	for i := 0; i < len(pairs); i += 2 {
		b.WriteString(pairs[i] + "=" + posixsh.Quote(pairs[i+1]) + "\n")
	}
	return b.String()
}

// title keeps a path on one line.
func title(path string) string {
	if quoted := strconv.Quote(path); quoted != `"`+path+`"` {
		return quoted
	}
	return path
}
