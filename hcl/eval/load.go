// Package eval turns plan files into a deployment: it evaluates every expression,
// checks it against the kinds, and says by file and line what is wrong.
package eval

import (
	"slices"

	"github.com/hashicorp/hcl/v2"

	"github.com/pdprov/pdprov/hcl/config"
	"github.com/pdprov/pdprov/hcl/model"
	"github.com/pdprov/pdprov/stages/stage"
)

// Options say what to read. The zero value reads the *.hcl files of the current folder.
type Options struct {
	Paths    []string // files or folders
	Vars     []string // name=value, as --var gives them
	VarFiles []string // files of name = value, or JSON
	Environ  []string // NAME=value, as os.Environ gives them
	Kinds    stage.Kinds
	// HostsOnly asks for the hosts alone: what they do not depend on may lack a value, and
	// no stage is checked.
	HostsOnly bool
	// Locks asks for what locks are made of: a local file that is not there yet counts as
	// empty, and no stage is checked.
	Locks bool
}

// Load reads and evaluates plan files. The deployment is never nil and holds the
// sources that the diagnostics point into, also after errors.
func Load(o Options) (*model.Deployment, hcl.Diagnostics) {
	reader := config.NewReader(o.VarFiles...)
	d := &model.Deployment{Sources: reader.Sources()}
	files, diags := reader.Paths(o.Paths)
	if diags.HasErrors() {
		for _, f := range d.Sources {
			config.Shroud(f.Bytes)
		}
		return d, diags
	}
	e := &evaluation{o: o, reader: reader, d: d, places: map[string]place{}, empty: map[string][]string{}}
	given, more := e.given(files)
	diags = append(diags, more...)
	root := e.scope(files, "", given)
	diags = append(diags, root.all()...)
	e.inOrder(files)
	if !e.sensitive {
		d.Unset = nil
	}
	if !diags.HasErrors() {
		diags = append(diags, e.homeless()...)
	}
	if !diags.HasErrors() && !o.HostsOnly && !o.Locks {
		diags = append(diags, e.validate()...)
	}
	if !diags.HasErrors() && !o.HostsOnly && !o.Locks {
		diags = append(diags, e.claims()...)
	}
	slices.Sort(d.Secrets)
	d.Secrets = slices.Compact(d.Secrets)
	return d, e.discreet(once(diags))
}

// evaluation is one Load.
type evaluation struct {
	o         Options
	reader    *config.Reader
	d         *model.Deployment
	sensitive bool                // a sensitive variable was met
	written   []hcl.Range         // where plan files spell a sensitive value out
	running   []*node             // what waits for what, outermost first
	places    map[string]place    // of stages, by address
	empty     map[string][]string // what a for_each or module without stages comes after, by address
	modules   []string            // the folders of the modules that are being evaluated
	lenient   bool                // a variable of the plan may lack a value
}

// validate lets each kind look at each of its stages. What it says alike of several
// hosts is said once.
func (e *evaluation) validate() (diags hcl.Diagnostics) {
	for i := range e.d.Stages {
		st := &e.d.Stages[i]
		k, _ := e.o.Kinds.Lookup(st.Kind)
		said := map[stage.Finding]bool{}
		for _, name := range st.Hosts {
			h, _ := e.d.Host(name)
			for _, f := range k.Validate(e.d.Instance(st, h, nil)) {
				f.Summary, f.Detail = e.d.Hide(st.Addr, f.Summary), e.d.Hide(st.Addr, f.Detail)
				if !said[f] {
					said[f] = true
					diags = append(diags, st.Diagnostic(f))
				}
			}
		}
	}
	return diags
}

func problem(r hcl.Range, summary, detail string) *hcl.Diagnostic {
	return &hcl.Diagnostic{Severity: hcl.DiagError, Summary: summary, Detail: detail, Subject: &r}
}
