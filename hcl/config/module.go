package config

import (
	"fmt"
	"sort"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// Block is one block of a file, with the folder that its relative paths start from.
type Block struct {
	*hclsyntax.Block
	Dir   string
	Order int // its place among all blocks of the module
}

// Module is what a set of files says: the plan itself, or a module that it uses.
type Module struct {
	Variables, Hosts, Stages, Modules, Outputs []Block
	Locals                                     []Local

	blocks int // how many were read
}

// Local is one named expression of a locals block.
type Local struct {
	*hclsyntax.Attribute
	Dir string
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
	m.blocks++
	b.Order = m.blocks
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
			Detail: fmt.Sprintf("A %s block is written %s { ... }; labels found: %d.", b.Type, form, len(b.Labels)),
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
