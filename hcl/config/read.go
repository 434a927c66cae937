// Package config reads plan files into blocks. It knows which blocks there are, and
// nothing of what they mean.
package config

import (
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclparse"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/hclwrite"
)

// Block is one block of a file, with the folder that its relative paths start from.
type Block struct {
	*hclsyntax.Block
	Dir string
}

// Module is what a set of files says: the plan itself, or a module that it uses.
type Module struct {
	Variables, Hosts, Stages, Modules, Outputs []Block
	Locals                                     []Local
}

// Local is one named expression of a locals block.
type Local struct {
	*hclsyntax.Attribute
	Dir string
}

// Reader reads files and remembers their text for diagnostics.
type Reader struct{ parser *hclparse.Parser }

// NewReader makes a reader that has read nothing.
func NewReader() *Reader { return &Reader{hclparse.NewParser()} }

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
			id, err := filepath.EvalSymlinks(file)
			if err == nil {
				id, err = filepath.Abs(id)
			}
			if err == nil && seen[id] {
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
	info, err := os.Stat(path)
	if err != nil {
		return nil, problem("Plan files cannot be read", fmt.Sprintf("%s. Name files or folders that exist.", err))
	}
	if !info.IsDir() {
		return []string{path}, nil
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, problem("Plan files cannot be read", err.Error()+".")
	}
	var files []string
	for _, e := range entries {
		if name := e.Name(); strings.HasSuffix(name, ".hcl") && !strings.HasPrefix(name, ".") && !e.IsDir() {
			files = append(files, filepath.Join(path, name))
		}
	}
	sort.Strings(files)
	if len(files) == 0 {
		return nil, problem("No plan files", fmt.Sprintf("The folder %s holds no file whose name ends in .hcl. Name a plan file, or run pdprov where the plan files are.", path))
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
	f, diags := r.parser.ParseHCL(text, name)
	if f == nil || diags.HasErrors() {
		return diags
	}
	body, ok := f.Body.(*hclsyntax.Body)
	if !ok {
		return diags
	}
	for _, attr := range body.Attributes {
		diags = append(diags, &hcl.Diagnostic{
			Severity: hcl.DiagError, Summary: "Attribute outside of a block", Subject: attr.SrcRange.Ptr(),
			Detail: fmt.Sprintf("A plan file holds blocks only. To name a value, write: locals { %s = ... }.", attr.Name),
		})
	}
	for _, b := range body.Blocks {
		diags = append(diags, m.add(Block{b, dir})...)
	}
	return diags
}

// labels says how many labels each block has and what they are called.
var labels = map[string][]string{
	"variable": {"name"}, "locals": {}, "host": {"name"}, "stage": {"kind", "name"}, "module": {"name"}, "output": {"name"},
}

func (m *Module) add(b Block) hcl.Diagnostics {
	want, known := labels[b.Type]
	if !known {
		names := []string{"variable", "locals", "host", "stage", "module", "output"}
		return hcl.Diagnostics{{
			Severity: hcl.DiagError, Summary: "Unknown block", Subject: b.TypeRange.Ptr(),
			Detail: fmt.Sprintf("There is no block %q.%s A plan has the blocks %s.", b.Type, Suggest(b.Type, names), strings.Join(names, ", ")),
		}}
	}
	if diags := checkLabels(b, want); diags.HasErrors() {
		return diags
	}
	switch b.Type {
	case "variable":
		m.Variables = append(m.Variables, b)
	case "host":
		m.Hosts = append(m.Hosts, b)
	case "stage":
		m.Stages = append(m.Stages, b)
	case "module":
		m.Modules = append(m.Modules, b)
	case "output":
		m.Outputs = append(m.Outputs, b)
	case "locals":
		return m.locals(b)
	}
	return nil
}

func (m *Module) locals(b Block) (diags hcl.Diagnostics) {
	for _, inner := range b.Body.Blocks {
		diags = append(diags, &hcl.Diagnostic{
			Severity: hcl.DiagError, Summary: "Block inside of locals", Subject: inner.TypeRange.Ptr(),
			Detail: "locals holds named values only: name = value.",
		})
	}
	for _, attr := range Attributes(b.Body) {
		m.Locals = append(m.Locals, Local{attr, b.Dir})
	}
	return diags
}

func checkLabels(b Block, want []string) hcl.Diagnostics {
	if len(b.Labels) != len(want) {
		form := b.Type
		for _, name := range want {
			form += fmt.Sprintf(" %q", strings.ToUpper(name))
		}
		return hcl.Diagnostics{{
			Severity: hcl.DiagError, Summary: "Wrong number of labels", Subject: b.DefRange().Ptr(),
			Detail: fmt.Sprintf("A %s block is written %s { ... }; this one has %d labels.", b.Type, form, len(b.Labels)),
		}}
	}
	for i, label := range b.Labels {
		if !hclsyntax.ValidIdentifier(label) {
			return hcl.Diagnostics{{
				Severity: hcl.DiagError, Summary: "Invalid name", Subject: b.LabelRanges[i].Ptr(),
				Detail: fmt.Sprintf("%q cannot be a %s: use letters, digits, _ and -, and begin with a letter.", label, want[i]),
			}}
		}
	}
	return nil
}

// Attributes lists the attributes of a body in order of their place.
func Attributes(body *hclsyntax.Body) []*hclsyntax.Attribute {
	list := make([]*hclsyntax.Attribute, 0, len(body.Attributes))
	for _, a := range body.Attributes {
		list = append(list, a)
	}
	sort.Slice(list, func(i, j int) bool { return list[i].SrcRange.Start.Byte < list[j].SrcRange.Start.Byte })
	return list
}

// Format lays a file's text out anew. A file with syntax errors is left as it is.
func Format(src []byte, name string) ([]byte, hcl.Diagnostics) {
	if _, diags := hclwrite.ParseConfig(src, name, hcl.InitialPos); diags.HasErrors() {
		return src, diags
	}
	return hclwrite.Format(src), nil
}
