package eval

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/pdprov/pdprov/hcl/config"
	"github.com/pdprov/pdprov/modules"
)

// builtin begins the source of a module that is shipped with pdprov.
const builtin = "builtin/"

// moduleFiles reads the module's files: shipped ones, or a folder. id is the same for
// the same files.
func (s *scope) moduleFiles(b config.Block) (files *config.Module, id string, diags hcl.Diagnostics) {
	attr, ok := b.Body.Attributes["source"]
	if !ok {
		return nil, "", hcl.Diagnostics{problem(b.DefRange(), "Missing attribute", `A module needs source: "builtin/NAME" for one that comes with pdprov, or a path like "./folder".`)}
	}
	rng := attr.Expr.Range()
	v, diags := attr.Expr.Value(nil)
	if diags.HasErrors() || v.Type() != cty.String || v.IsNull() || !v.IsKnown() {
		return nil, "", hcl.Diagnostics{problem(rng, "Invalid source", "The source of a module is a text that is written out.")}
	}
	source := v.AsString()
	if name, ok := strings.CutPrefix(source, builtin); ok {
		files, diags = s.shipped(name, rng)
		return files, source, diags
	}
	if !strings.HasPrefix(source+"/", "./") && !strings.HasPrefix(source+"/", "../") && !filepath.IsAbs(source) {
		return nil, "", hcl.Diagnostics{problem(rng, "Invalid source", fmt.Sprintf("%q is neither %sNAME nor a path that begins with ./ or ../ or /. Modules are not fetched from elsewhere.", source, builtin))}
	}
	if !filepath.IsAbs(source) {
		source = filepath.Join(b.Dir, source)
	}
	files, diags = s.e.reader.Paths([]string{source})
	for _, d := range diags {
		if d.Subject == nil {
			d.Subject = &rng
		}
	}
	return files, config.Canonical(source), diags
}

// relative writes paths from the current folder where that is shorter.
func relative(paths []string) (list []string) {
	for _, path := range paths {
		if here, err := os.Getwd(); err == nil {
			if rel, err := filepath.Rel(here, path); err == nil && len(rel) < len(path) {
				path = rel
			}
		}
		list = append(list, path)
	}
	return list
}

func (s *scope) shipped(name string, rng hcl.Range) (*config.Module, hcl.Diagnostics) {
	names := shippedNames()
	if !slices.Contains(names, name) {
		return nil, hcl.Diagnostics{problem(rng, "Unknown module", fmt.Sprintf("pdprov ships no module %q.%s It ships %s.", name, config.Suggest(name, names), strings.Join(names, ", ")))}
	}
	m := &config.Module{}
	var diags hcl.Diagnostics
	files, _ := fs.Glob(modules.FS, name+"/*.hcl")
	for _, file := range files {
		text, err := modules.FS.ReadFile(file)
		if err != nil {
			return nil, hcl.Diagnostics{problem(rng, "Unknown module", err.Error()+".")}
		}
		diags = append(diags, s.e.reader.Text(m, text, builtin+file, builtin+name)...)
	}
	return m, diags
}

func shippedNames() (names []string) {
	folders, _ := fs.Glob(modules.FS, "*") // the pattern is right, so there is no error
	return append(names, folders...)
}
