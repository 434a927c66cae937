package cli

import (
	"os"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/pdprov/pdprov/cmd/view"
	"github.com/pdprov/pdprov/hcl/eval"
	"github.com/pdprov/pdprov/hcl/model"
	"github.com/pdprov/pdprov/stages"
	"github.com/pdprov/pdprov/stages/stage"
)

// input is what plan files say, with the kinds that they were read for.
type input struct {
	paths      []string
	deployment *model.Deployment
	kinds      stage.Kinds
	warnings   hcl.Diagnostics
}

// invalidError says that plan files have errors.
type invalidError struct {
	diags hcl.Diagnostics
	files map[string]*hcl.File
}

func (e *invalidError) Error() string { return "the plan files have errors" }

// load reads and evaluates plan files; warnings are shown.
func (a *app) load(paths []string, c configuration) (*input, error) {
	return a.evaluate(paths, c, false)
}

func (a *app) evaluate(paths []string, c configuration, hostsOnly bool) (*input, error) {
	in := &input{paths: paths, kinds: stages.All()}
	if len(paths) == 0 {
		in.paths = []string{"."}
	}
	var diags hcl.Diagnostics
	in.deployment, diags = eval.Load(eval.Options{
		Paths: in.paths, Vars: c.vars, VarFiles: c.varFiles, Kinds: in.kinds,
		Environ: append(os.Environ(), c.environ...), HostsOnly: hostsOnly,
	})
	if diags.HasErrors() {
		return nil, &invalidError{diags, in.deployment.Sources}
	}
	in.warnings = diags
	a.diagnostics(diags, in.deployment.Sources)
	return in, nil
}

// open loads plan files and refuses hosts and stages that they do not have.
func (a *app) open(paths []string, r reach) (*input, error) {
	in, err := a.load(paths, r.configuration)
	if err == nil {
		in.deployment.Deep = r.deep
		err = r.check(in.deployment)
	}
	return in, err
}

// openHosts is open for a command that needs the hosts alone: only the variables that
// they depend on must have a value.
func (a *app) openHosts(paths []string, r reach) (*input, error) {
	in, err := a.evaluate(paths, r.configuration, true)
	if err == nil {
		err = r.check(in.deployment)
	}
	return in, err
}

// unhidden warns, before a log is shown, of what cannot be hidden in it.
func (a *app) unhidden(in *input) {
	if names := in.deployment.Unset; len(names) > 0 {
		a.warn("no value was given for " + strings.Join(names, ", ") + ", so sensitive values that depend on it are not hidden in what jobs printed; give it as for apply")
	}
}

// diagnostics shows what is wrong with plan files on the error output.
func (a *app) diagnostics(diags hcl.Diagnostics, files map[string]*hcl.File) {
	view.Diagnostics(a.err, diags, files, a.style(a.err))
}

// refuse ends a command whose plan files have errors; a program gets them as JSON.
func (a *app) refuse(err error) (int, error) {
	if invalid, ok := err.(*invalidError); ok && a.json {
		view.JSON(a.out, view.PlanDocument(nil, invalid.diags))
	}
	return exitError, err
}
