// Package deb writes small Debian packages and signed apt repositories, for practice hosts.
package deb

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"time"
)

// Package is what a .deb says and holds.
type Package struct {
	Name, Version string
	Architecture  string // "" is amd64
	Fields        Fields
	Files         []File
	Scripts       map[string]string // postinst, prerm ...: sh text without the first line
	Conffiles     []string
}

// Fields are further lines of the control file, such as Depends, in order.
type Fields [][2]string

// File is one entry of a package: a link when Link is not empty, else a regular file.
type File struct {
	Path string // absolute
	Text string
	Mode int64 // 0 is 0644
	Link string
}

// FileName is the name that apt gives the package's file.
func (p Package) FileName() string {
	return p.Name + "_" + strings.ReplaceAll(p.Version, ":", "%3a") + "_" + p.architecture() + ".deb"
}

func (p Package) architecture() string {
	if p.Architecture == "" {
		return "amd64"
	}
	return p.Architecture
}

// control is the package's stanza, without an empty line at its end.
func (p Package) control() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Package: %s\nVersion: %s\nArchitecture: %s\nMaintainer: practice lab <lab@example.invalid>\nInstalled-Size: %d\n",
		p.Name, p.Version, p.architecture(), p.size())
	for _, f := range p.Fields {
		fmt.Fprintf(&b, "%s: %s\n", f[0], f[1])
	}
	fmt.Fprintf(&b, "Description: %s of the practice lab\n It stands for a real package of this name and holds next to nothing.\n", p.Name)
	return b.String()
}

// size in KiB, at least 1.
func (p Package) size() int {
	n := 0
	for _, f := range p.Files {
		n += len(f.Text)
	}
	return n/1024 + 1
}

// Bytes is the .deb; the same package gives the same bytes.
func (p Package) Bytes() ([]byte, error) {
	control := []File{{Path: "/control", Text: p.control()}}
	for name, text := range p.Scripts {
		control = append(control, File{Path: "/" + name, Text: "#!/bin/sh\nset -e\n" + text, Mode: 0o755})
	}
	if len(p.Conffiles) > 0 {
		control = append(control, File{Path: "/conffiles", Text: strings.Join(p.Conffiles, "\n") + "\n"})
	}
	controlTar, err := tarball(control)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.Name, err)
	}
	dataTar, err := tarball(p.Files)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.Name, err)
	}
	var b bytes.Buffer
	b.WriteString("!<arch>\n")
	member(&b, "debian-binary", []byte("2.0\n"))
	member(&b, "control.tar.gz", controlTar)
	member(&b, "data.tar.gz", dataTar)
	return b.Bytes(), nil
}

// member writes one member of an ar archive.
func member(w *bytes.Buffer, name string, data []byte) {
	fmt.Fprintf(w, "%-16s%-12d%-6d%-6d%-8s%-10d`\n", name, 0, 0, 0, "100644", len(data))
	w.Write(data)
	if len(data)%2 == 1 {
		w.WriteByte('\n')
	}
}

// tarball holds the files and all their folders.
func tarball(files []File) ([]byte, error) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	t := tar.NewWriter(z)
	files = slices.Clone(files)
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	folders := map[string]bool{}
	for _, f := range files {
		if err := writeFolders(t, path.Dir(f.Path), folders); err != nil {
			return nil, err
		}
		if err := writeFile(t, f); err != nil {
			return nil, err
		}
	}
	if err := t.Close(); err != nil {
		return nil, err
	}
	err := z.Close()
	return b.Bytes(), err
}

func writeFolders(t *tar.Writer, dir string, done map[string]bool) error {
	if done[dir] {
		return nil
	}
	done[dir] = true
	if dir != "/" {
		if err := writeFolders(t, path.Dir(dir), done); err != nil {
			return err
		}
	}
	name := "." + strings.TrimSuffix(dir, "/") + "/"
	return t.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: name, Mode: 0o755, ModTime: built})
}

// built is the date of all files: real packages are older than their installation.
var built = time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC)

func writeFile(t *tar.Writer, f File) error {
	h := &tar.Header{Typeflag: tar.TypeReg, Name: "." + f.Path, Mode: f.Mode, Size: int64(len(f.Text)), ModTime: built}
	if h.Mode == 0 {
		h.Mode = 0o644
	}
	if f.Link != "" {
		h.Typeflag, h.Linkname, h.Mode, h.Size = tar.TypeSymlink, f.Link, 0o777, 0
	}
	if err := t.WriteHeader(h); err != nil {
		return fmt.Errorf("%s: %w", f.Path, err)
	}
	if f.Link != "" {
		return nil
	}
	_, err := io.WriteString(t, f.Text)
	return err
}
