package eval

import (
	"fmt"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"

	"github.com/pdprov/pdprov/hcl/config"
	"github.com/pdprov/pdprov/hcl/funcs"
)

// scope is one set of files: the plan, or one use of a module. Its names are
// evaluated when they are first needed, in whatever order they are declared.
type scope struct {
	e      *evaluation
	files  *config.Module
	prefix string // "" or "module.x." before the addresses of its stages
	given  map[string]given
	hosts  *scope        // where host.NAME is looked up: the plan
	caller *config.Block // the module block, nil for the plan
	place  place         // of the module block
	// defaultHosts are the hosts of stages that name none; nil means all.
	defaultHosts []string
	after        []string // the stages that every stage of a module comes after

	nodes map[string]*node // by name: "var.x", "local.x", "stage.kind.name"
	order []*node
	table map[string]map[string]function.Function // by folder
}

// node is one name of a scope.
type node struct {
	name    string
	rng     hcl.Range
	eval    func() (cty.Value, hcl.Diagnostics)
	value   cty.Value
	running bool // others may need it, see evaluation.running
	done    bool
	failed  bool
}

func (e *evaluation) scope(files *config.Module, prefix string, given map[string]given) *scope {
	s := &scope{
		e: e, files: files, prefix: prefix, given: given,
		nodes: map[string]*node{}, table: map[string]map[string]function.Function{},
	}
	s.hosts = s
	return s
}

// all declares every name and evaluates it.
func (s *scope) all() hcl.Diagnostics {
	diags := s.declare()
	if s.e.o.HostsOnly && s.caller == nil {
		diags = append(diags, s.hostsFirst()...)
	}
	for _, n := range s.order {
		if !n.done {
			_, more := s.resolve(n, nil)
			diags = append(diags, more...)
		}
	}
	return diags
}

// hostsFirst evaluates the hosts and what they depend on; after that a variable may lack
// a value.
func (s *scope) hostsFirst() (diags hcl.Diagnostics) {
	for _, b := range s.files.Hosts {
		_, more := s.resolve(s.nodes["host."+b.Labels[0]], nil)
		diags = append(diags, more...)
	}
	s.e.lenient = true
	return diags
}

func (s *scope) declare() (diags hcl.Diagnostics) {
	add := func(name string, rng hcl.Range, eval func() (cty.Value, hcl.Diagnostics)) {
		if old, ok := s.nodes[name]; ok {
			diags = append(diags, problem(rng, "Declared twice", fmt.Sprintf("%s is declared already at %s. Rename one of the two.", name, old.rng)))
			return
		}
		n := &node{name: s.prefix + name, rng: rng, eval: eval}
		s.nodes[name] = n
		s.order = append(s.order, n)
	}
	for _, b := range s.files.Variables {
		add("var."+b.Labels[0], b.DefRange(), func() (cty.Value, hcl.Diagnostics) { return s.variable(b) })
	}
	for _, l := range s.files.Locals {
		add("local."+l.Name, l.NameRange, func() (cty.Value, hcl.Diagnostics) { return s.value(l.Expr, l.Dir, nil) })
	}
	for _, b := range s.files.Hosts {
		add("host."+b.Labels[0], b.DefRange(), func() (cty.Value, hcl.Diagnostics) { return s.host(b) })
	}
	for _, b := range s.files.Modules {
		add("module."+b.Labels[0], b.DefRange(), func() (cty.Value, hcl.Diagnostics) { return s.module(b) })
	}
	for _, b := range s.files.Stages {
		add("stage."+b.Labels[0]+"."+b.Labels[1], b.DefRange(), func() (cty.Value, hcl.Diagnostics) { return s.stage(b) })
	}
	for _, b := range s.files.Outputs {
		add("output."+b.Labels[0], b.DefRange(), func() (cty.Value, hcl.Diagnostics) { return s.output(b) })
	}
	return diags
}

func (s *scope) output(b config.Block) (cty.Value, hcl.Diagnostics) {
	attr, ok := b.Body.Attributes["value"]
	diags := only(b, "value", "description", "sensitive")
	if !ok {
		return cty.DynamicVal, append(diags, problem(b.DefRange(), "Missing value", "An output needs value = ..."))
	}
	v, more := s.value(attr.Expr, b.Dir, nil)
	diags = append(diags, more...)
	secret, more := s.flag(b, "sensitive")
	if secret && !diags.HasErrors() {
		v = s.e.secret(v)
	}
	return v, append(diags, more...)
}

// value evaluates an expression. each is nil, or each.key and each.value.
func (s *scope) value(expr hclsyntax.Expression, dir string, each map[string]cty.Value) (cty.Value, hcl.Diagnostics) {
	ctx, diags := s.context(expr, dir, each)
	if diags.HasErrors() {
		return cty.DynamicVal, diags
	}
	v, more := expr.Value(ctx)
	return keepUses(v, expr, ctx), append(diags, discreetly(more, expr, ctx)...)
}

// functions is the table of a folder, since file() starts there.
func (s *scope) functions(dir string) map[string]function.Function {
	if _, ok := s.table[dir]; !ok {
		s.table[dir] = funcs.Table(dir, s.e.o.Environ)
	}
	return s.table[dir]
}

// only refuses attributes and blocks that a block does not take.
func only(b config.Block, names ...string) (diags hcl.Diagnostics) {
	for _, a := range config.Attributes(b.Body) {
		if !slices.Contains(names, a.Name) {
			diags = append(diags, problem(a.NameRange, "Unknown attribute", fmt.Sprintf("A block %q has no attribute %q.%s", b.Type, a.Name, config.Suggest(a.Name, names))))
		}
	}
	for _, inner := range b.Body.Blocks {
		if b.Type != "variable" || inner.Type != "validation" {
			diags = append(diags, problem(inner.TypeRange, "Unknown block", fmt.Sprintf("A block %q has no block %q inside.", b.Type, inner.Type)))
		}
	}
	return diags
}
