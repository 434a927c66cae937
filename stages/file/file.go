// Package file is the kind that keeps one file or directory: its content, owner,
// group and mode, or its absence.
package file

import (
	"strings"

	"github.com/pdprov/pdprov/internal/hostfile"
	"github.com/pdprov/pdprov/stages/stage"
)

// Kind is the kind "file".
type Kind struct{}

// Name is "file".
func (Kind) Name() string { return "file" }

// Summary says what the kind does.
func (Kind) Summary() string {
	return "A file with given content, owner, group and mode; a directory; or the absence of either."
}

// Values of the attribute ensure.
const (
	present   = "present"
	absent    = "absent"
	directory = "directory"
)

// Schema lists the attributes.
func (Kind) Schema() []stage.Attr {
	return []stage.Attr{
		{Name: "path", Type: stage.String, Required: true, Doc: "Absolute path. Missing parent directories are made with mode 0755, owned by root. A symlink at the path itself is replaced, never followed."},
		{Name: "content", Type: stage.String, Secrets: true, Doc: "The whole content."},
		{Name: "source", Type: stage.LocalFile, Secrets: true, Doc: "A local file with the content, instead of content."},
		{Name: "owner", Type: stage.String, Default: "root", Doc: "User name or number."},
		{Name: "group", Type: stage.String, Default: "root", Doc: "Group name or number."},
		{Name: "mode", Type: stage.String, Doc: "Octal mode; 0644 for a file and 0755 for a directory when unset."},
		{Name: "ensure", Type: stage.String, Default: present, OneOf: []string{present, absent, directory}, Doc: "What lies at the path. A directory that is not empty is never removed."},
	}
}

// wish is a block read.
type wish struct {
	path, ensure string
	data         []byte
	secret       bool
	owner, group string
	mode         string // four octal digits
}

func read(c stage.Config) wish {
	w := wish{
		path: c.Text("path"), ensure: c.Text("ensure"),
		owner: orRoot(c.Text("owner")), group: orRoot(c.Text("group")),
		data: []byte(c.Text("content")), secret: c.Secret["content"] || c.Secret["source"],
	}
	if w.ensure == "" {
		w.ensure = present
	}
	if f, ok := c.File("source"); ok {
		w.data = append([]byte{}, f.Data...) // never nil: an empty file has content too
	}
	switch w.mode = fourDigits(c.Text("mode")); {
	case w.mode != "":
	case w.ensure == directory:
		w.mode = "0755"
	default:
		w.mode = "0644"
	}
	return w
}

func orRoot(s string) string {
	if s == "" {
		return "root"
	}
	return s
}

func fourDigits(mode string) string {
	if mode == "" {
		return ""
	}
	mode = strings.TrimLeft(mode, "0")
	return strings.Repeat("0", max(0, 4-len(mode))) + mode
}

// Probes asks about the path; the content of a file that is wanted otherwise comes
// along when it is small and no secret.
func (Kind) Probes(in stage.Instance) []stage.Probe {
	return []stage.Probe{probe(read(in.Config))}
}

func probe(w wish) stage.Probe {
	switch {
	case w.ensure == directory:
		return hostfile.Stat(w.path)
	case w.ensure == absent || w.secret || !hostfile.Readable(w.data):
		return hostfile.Look(w.path, "")
	}
	return hostfile.Look(w.path, hostfile.Digest(w.data))
}
