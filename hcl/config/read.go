// Package config reads plan files into blocks. It knows which blocks there are, and
// nothing of what they mean.
package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclparse"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// Reader reads files and remembers their text for diagnostics.
type Reader struct {
	parser *hclparse.Parser
	broken map[string]hcl.Diagnostics // by file: the parser hands a broken file out as if it were whole
	others map[string]bool            // by canonical name: files that are no plan files
}

// NewReader makes a reader that has read nothing and that passes over some files.
func NewReader(others ...string) *Reader {
	r := &Reader{hclparse.NewParser(), map[string]hcl.Diagnostics{}, map[string]bool{}}
	for _, path := range others {
		r.others[Canonical(path)] = true
	}
	return r
}

// Canonical is one name for a file or folder, however it was written.
func Canonical(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	return path
}

// Sources is the text of everything read, by file name.
func (r *Reader) Sources() map[string]*hcl.File { return r.parser.Files() }

// Paths reads files, and of folders the *.hcl files in order of their names. What
// is named twice is read once. Without paths it reads the folder ".".
func (r *Reader) Paths(paths []string) (*Module, hcl.Diagnostics) {
	if len(paths) == 0 {
		paths = []string{"."}
	}
	m := &Module{}
	var diags hcl.Diagnostics
	seen := map[string]bool{}
	for _, path := range paths {
		files, more := list(path)
		diags = append(diags, more...)
		for _, file := range files {
			id := Canonical(file)
			if seen[id] || r.others[id] {
				continue
			}
			seen[id] = true
			diags = append(diags, r.file(m, file)...)
		}
	}
	return m, diags
}

// list names the plan files of a path.
func list(path string) ([]string, hcl.Diagnostics) {
	files, err := Files(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, problem("Plan files cannot be read", fmt.Sprintf("%s. Name files or folders that exist.", err))
	case err != nil:
		return nil, problem("Plan files cannot be read", err.Error()+".")
	case len(files) == 0:
		return nil, problem("No plan files", fmt.Sprintf("The folder %s holds no file whose name ends in .hcl. Name a file, or a folder that holds some.", path))
	}
	return files, nil
}

// Files is a file that is named, or the *.hcl files of a folder in order of their names.
// Of a folder only plain files count, and links that lead to one or nowhere.
func Files(path string) (files []string, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return []string{path}, nil
	}
	entries, err := os.ReadDir(path) // in order
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		name := e.Name()
		if !strings.HasSuffix(name, ".hcl") || strings.HasPrefix(name, ".") {
			continue
		}
		name = filepath.Join(path, name)
		if info, err := os.Stat(name); err != nil || info.Mode().IsRegular() {
			files = append(files, name)
		}
	}
	return files, nil
}

func problem(summary, detail string) hcl.Diagnostics {
	return hcl.Diagnostics{{Severity: hcl.DiagError, Summary: summary, Detail: detail}}
}

func (r *Reader) file(m *Module, path string) hcl.Diagnostics {
	text, err := os.ReadFile(path)
	if err != nil {
		return problem("Plan files cannot be read", err.Error()+".")
	}
	return r.Text(m, text, path, filepath.Dir(path))
}

// Text adds the blocks of one file's text to a module.
func (r *Reader) Text(m *Module, text []byte, name, dir string) hcl.Diagnostics {
	if diags, known := r.broken[name]; known {
		return diags
	}
	if diags := Bounds(text, name); diags.HasErrors() {
		r.broken[name] = diags
		return diags
	}
	f, diags := r.parser.ParseHCL(text, name)
	if f == nil || diags.HasErrors() {
		r.broken[name] = diags
		return diags
	}
	body, ok := f.Body.(*hclsyntax.Body)
	if !ok {
		return diags
	}
	for _, attr := range Attributes(body) {
		Blot(text[attr.Expr.Range().Start.Byte:attr.Expr.Range().End.Byte]) // the file may have been meant as one of variables
		diags = append(diags, &hcl.Diagnostic{
			Severity: hcl.DiagError, Summary: "Attribute outside of a block", Subject: attr.SrcRange.Ptr(),
			Detail: fmt.Sprintf("A plan file holds blocks only. To name a value, write: locals { %s = ... }.", attr.Name),
		})
	}
	for _, b := range body.Blocks {
		diags = append(diags, m.add(Block{Block: b, Dir: dir})...)
	}
	return diags
}
