package venv

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/pdprov/pdprov/internal/hostfile"
	"github.com/pdprov/pdprov/stages/stage"
)

// Validate checks the block and every line of its lock.
func (Kind) Validate(in stage.Instance) []stage.Finding {
	c := in.Config
	var found []stage.Finding
	add := func(path, summary, detail string) {
		found = append(found, stage.Finding{Path: path, Summary: summary, Detail: detail})
	}
	if why := badPath(c.Text("path")); why != "" {
		add("path", "Not a usable path", why)
	}
	if p := c.Text("python"); c.Has("python") && !pythonVersion(p) && badPath(p) != "" {
		add("python", "Not a Python", fmt.Sprintf("Give a version such as \"3.11\" or the absolute path of an interpreter, not %q.", p))
	}
	if l := c.Text("find_links"); c.Has("find_links") && hostfile.BadPath(l) != "" {
		add("find_links", "Not a usable path", hostfile.BadPath(l))
	}
	if k := c.Number("keep"); c.Has("keep") && (k < 0 || k > 1000 || k != float64(int(k))) {
		add("keep", "Not a number of environments", "keep is a whole number from 0 to 1000.")
	}
	file, _ := c.File("lock")
	l := readLock(file)
	for _, f := range l.faults {
		add("lock", "A lock that cannot be vouched for", fmt.Sprintf("%s, line %d: %s.", file.Path, f.line, f.text))
	}
	w := read(c)
	if w.source == managed && (w.version() == "" || !strings.Contains(w.version(), ".")) {
		add("python", "Which Python to install", fmt.Sprintf("python_source = \"managed\" needs the version: python = \"3.12\", not %q.", w.python))
	}
	if w.mirror != "" && w.source != managed {
		add("python_mirror", "Nothing to fetch", "python_mirror is where a managed Python comes from: give python_source = \"managed\" as well, or leave it away.")
	}
	if part := excludes(l.requires, w.version()); w.version() != "" && l.requires != "" && part != "" {
		add("python", "A lock for another Python", fmt.Sprintf("%s was resolved for Python %s, and python = %q. Resolve it again for that Python (pdprov lock), or change python.", file.Path, l.requires, w.version()))
	}
	if l.pylock {
		found = append(found, w.pylockOnly()...)
	}
	if c.Has("torch_index_url") && w.cuda == "" {
		add("torch_index_url", "An index without a CUDA", "torch_index_url is the index for one CUDA: say which with cuda = \"cu130\".")
	}
	found = append(found, w.tagged(file.Path)...)
	return append(found, w.pairs(file.Path)...)
}

// pylockOnly refuses what has no effect, or fails, with a pylock.toml.
func (w wish) pylockOnly() (found []stage.Finding) {
	add := func(path, detail string) {
		found = append(found, stage.Finding{Path: path, Summary: "Not with a pylock.toml", Detail: detail})
	}
	if w.installer == "pip" {
		add("installer", "pip reads pylock.toml from version 26.3, and python -m venv brings an older one. Take installer = \"uv\", or a lock in the form of requirements.")
	}
	for path, set := range map[string]string{"index_url": w.indexURL, "find_links": w.findLinks, "torch_index_url": w.torchURL} {
		if set != "" {
			add(path, "A pylock.toml names the address of each file itself, so "+path+" would have no effect. Leave it away, or take a lock in the form of requirements.")
		}
	}
	slices.SortFunc(found, func(a, b stage.Finding) int { return strings.Compare(a.Path, b.Path) })
	return found
}

// badPath adds what Python itself cannot live with in an environment's path.
func badPath(path string) string {
	if why := hostfile.BadPath(path); why != "" {
		return why
	}
	if strings.ContainsRune(path, ':') || strings.ContainsFunc(path, unicode.IsControl) {
		return fmt.Sprintf("%q holds a colon or a control character, which Python does not take in an environment's path.", path)
	}
	return ""
}

// pythonVersion accepts "3", "3.11" and "3.11.2".
func pythonVersion(s string) bool {
	parts := strings.Split(s, ".")
	for _, p := range parts {
		if p == "" || strings.Trim(p, "0123456789") != "" {
			return false
		}
	}
	return len(parts) <= 3
}
