package view

import (
	"io"
	"sort"
	"strings"

	"github.com/pdprov/pdprov/engine/plan"
	"github.com/pdprov/pdprov/hcl/model"
)

// Graph prints the stages in the language of graphviz: an edge points from a stage to
// what it needs, and the stages of a module share a box.
func Graph(w io.Writer, d *model.Deployment) error {
	o := &output{w: w}
	o.line("digraph pdprov {")
	o.line("  rankdir = RL")
	o.line("  node [shape = box]")
	o.modules(tree(d), "  ")
	for i := range d.Stages {
		for _, dep := range plan.Dependencies(&d.Stages[i]) {
			o.line("  ", dot(d.Stages[i].Addr), " -> ", dot(dep))
		}
	}
	o.line("}")
	return o.err
}

// module is a box: its own stages and the modules in it.
type module struct {
	path   string // "module.x.module.y", "" is the plan itself
	stages []*model.Stage
	inner  map[string]*module
}

func tree(d *model.Deployment) *module {
	root := &module{inner: map[string]*module{}}
	for i := range d.Stages {
		m := root
		for _, name := range moduleNames(&d.Stages[i]) {
			m = m.in(name)
		}
		m.stages = append(m.stages, &d.Stages[i])
	}
	return root
}

func (m *module) in(name string) *module {
	inner, ok := m.inner[name]
	if !ok {
		inner = &module{path: strings.TrimPrefix(m.path+".module."+name, "."), inner: map[string]*module{}}
		m.inner[name] = inner
	}
	return inner
}

// moduleNames are the names of the modules around a stage, the outermost first. A key
// of for_each may hold dots and stands behind all of them.
func moduleNames(s *model.Stage) (names []string) {
	rest := s.Addr
	for {
		after, ok := strings.CutPrefix(rest, "module.")
		if !ok {
			return names
		}
		name, tail, ok := strings.Cut(after, ".")
		if !ok {
			return names
		}
		names, rest = append(names, name), tail
	}
}

func (o *output) modules(m *module, indent string) {
	for _, st := range m.stages {
		o.line(indent, dot(st.Addr), ` [label = `, dot(st.Addr+"\n"+strings.Join(st.Hosts, ", ")), "]")
	}
	names := make([]string, 0, len(m.inner))
	for name := range m.inner {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		inner := m.inner[name]
		o.line(indent, "subgraph ", dot("cluster_"+inner.path), " {")
		o.line(indent, "  label = ", dot(inner.path))
		o.modules(inner, indent+"  ")
		o.line(indent, "}")
	}
}

// dot quotes an identifier of graphviz, in which \n is a line end and \\ a backslash.
func dot(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}
