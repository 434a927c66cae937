package eval

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/pdprov/pdprov/hcl/config"
	"github.com/pdprov/pdprov/modules"
)

// maxDepth of modules that use modules.
const maxDepth = 16

// builtin begins the source of a module that is shipped with pdprov.
const builtin = "builtin/"

// module evaluates one use of a module, adds its stages, and gives its outputs.
func (s *scope) module(b config.Block) (cty.Value, hcl.Diagnostics) {
	if s.e.depth >= maxDepth {
		return cty.DynamicVal, hcl.Diagnostics{problem(b.DefRange(), "Cycle", fmt.Sprintf("Modules use modules more than %d deep: one seems to use itself.", maxDepth))}
	}
	files, diags := s.moduleFiles(b)
	if diags.HasErrors() {
		return cty.DynamicVal, diags
	}
	given, more := s.inputs(b, files)
	diags = append(diags, more...)
	if more.HasErrors() {
		return cty.DynamicVal, diags
	}
	inner := s.e.scope(files, s.prefix+"module."+b.Labels[0]+".", given)
	inner.hosts = s.hosts
	inner.defaultHosts, more = s.moduleHosts(b)
	diags = append(diags, more...)
	s.e.depth++
	diags = append(diags, inner.all()...)
	s.e.depth--
	outputs := map[string]cty.Value{}
	for name, n := range inner.nodes {
		if out, ok := strings.CutPrefix(name, "output."); ok {
			outputs[out] = n.value
		}
	}
	return cty.ObjectVal(outputs), diags
}

// moduleFiles reads the module's files: shipped ones, or a folder.
func (s *scope) moduleFiles(b config.Block) (*config.Module, hcl.Diagnostics) {
	attr, ok := b.Body.Attributes["source"]
	if !ok {
		return nil, hcl.Diagnostics{problem(b.DefRange(), "Missing attribute", `A module needs source: "builtin/NAME" for one that comes with pdprov, or a path like "./folder".`)}
	}
	v, diags := attr.Expr.Value(nil)
	if diags.HasErrors() || v.Type() != cty.String || v.IsNull() {
		return nil, append(diags, problem(attr.Expr.Range(), "Invalid source", "The source of a module is a text that is written out."))
	}
	source := v.AsString()
	if name, ok := strings.CutPrefix(source, builtin); ok {
		return s.shipped(name, attr.Expr.Range())
	}
	if !strings.HasPrefix(source, "./") && !strings.HasPrefix(source, "../") && !filepath.IsAbs(source) {
		return nil, hcl.Diagnostics{problem(attr.Expr.Range(), "Invalid source", fmt.Sprintf("%q is neither %sNAME nor a path that begins with ./ or ../ or /. Modules are not fetched from elsewhere.", source, builtin))}
	}
	if !filepath.IsAbs(source) {
		source = filepath.Join(b.Dir, source)
	}
	files, diags := s.e.reader.Paths([]string{source})
	for _, d := range diags {
		if d.Subject == nil {
			d.Subject = attr.Expr.Range().Ptr()
		}
	}
	return files, diags
}

func (s *scope) shipped(name string, rng hcl.Range) (*config.Module, hcl.Diagnostics) {
	entries, err := fs.ReadDir(modules.FS, name)
	if err != nil || name == "." {
		known, _ := fs.ReadDir(modules.FS, ".")
		var names []string
		for _, e := range known {
			if e.IsDir() {
				names = append(names, e.Name())
			}
		}
		return nil, hcl.Diagnostics{problem(rng, "Unknown module", fmt.Sprintf("pdprov ships no module %q.%s It ships %s.", name, config.Suggest(name, names), strings.Join(names, ", ")))}
	}
	m := &config.Module{}
	var diags hcl.Diagnostics
	for _, e := range entries {
		if filepath.Ext(e.Name()) != ".hcl" {
			continue
		}
		text, err := modules.FS.ReadFile(name + "/" + e.Name())
		if err != nil {
			return nil, hcl.Diagnostics{problem(rng, "Unknown module", errors.Unwrap(err).Error())}
		}
		diags = append(diags, s.e.reader.Text(m, text, builtin+name+"/"+e.Name(), builtin+name)...)
	}
	return m, diags
}

// inputs evaluates the attributes of a module block, which are its variables.
func (s *scope) inputs(b config.Block, files *config.Module) (map[string]cty.Value, hcl.Diagnostics) {
	var names []string
	for _, v := range files.Variables {
		names = append(names, v.Labels[0])
	}
	given := map[string]cty.Value{}
	var diags hcl.Diagnostics
	for _, attr := range config.Attributes(b.Body) {
		switch {
		case attr.Name == "source" || attr.Name == "hosts" && !contains(names, "hosts"):
			continue
		case attr.Name == "for_each" || attr.Name == "count":
			diags = append(diags, problem(attr.NameRange, "Unknown attribute", "A module is used once; for_each is for stages. Write one module block for each use."))
			continue
		case !contains(names, attr.Name):
			diags = append(diags, problem(attr.NameRange, "Unknown attribute", fmt.Sprintf("The module has no variable %q.%s", attr.Name, config.Suggest(attr.Name, names))))
			continue
		}
		v, more := s.value(attr.Expr, b.Dir, nil)
		diags = append(diags, more...)
		given[attr.Name] = v
	}
	for _, inner := range b.Body.Blocks {
		diags = append(diags, problem(inner.TypeRange, "Unknown block", fmt.Sprintf("A module block has no block %q inside.", inner.Type)))
	}
	return given, diags
}

// moduleHosts are the hosts of the module's stages that name none.
func (s *scope) moduleHosts(b config.Block) ([]string, hcl.Diagnostics) {
	attr, ok := b.Body.Attributes["hosts"]
	if !ok {
		return s.defaultHosts, nil
	}
	v, diags := s.value(attr.Expr, b.Dir, nil)
	if diags.HasErrors() || !v.IsWhollyKnown() {
		return nil, diags
	}
	v, _, _ = unmark(v)
	names, err := hostNames(v)
	if err != "" {
		diags = append(diags, problem(attr.Expr.Range(), "Invalid hosts", err))
	}
	return names, diags
}
