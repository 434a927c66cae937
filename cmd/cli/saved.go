package cli

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pdprov/pdprov/engine/plan"
)

// save keeps a plan in a file that apply takes.
func (a *app) save(p *plan.Plan, in *input, o planOptions) error {
	src, err := in.source(o.configuration, o.narrowing.options())
	if err != nil {
		return err
	}
	if src.Base, err = filepath.Abs(filepath.Dir(o.out)); err != nil {
		return err
	}
	salt := make([]byte, 16)
	rand.Read(salt)
	data, err := plan.Save(p, src, salt)
	if err != nil {
		return err
	}
	if err := os.WriteFile(o.out, append(data, '\n'), 0o600); err != nil {
		return fmt.Errorf("saving the plan: %w", err)
	}
	a.say("The plan is saved. To carry it out: pdprov apply %s", o.out)
	return nil
}

// source says how the plan was made, without the values of sensitive variables.
func (in *input) source(c configuration, o plan.Options) (src plan.Source, err error) {
	src.Options, src.Deep = o, in.deployment.Deep
	if src.Paths, err = absolute(in.paths); err != nil {
		return src, err
	}
	if src.VarFiles, err = absolute(c.varFiles); err != nil {
		return src, err
	}
	for _, v := range c.vars {
		if name, _, _ := strings.Cut(v, "="); in.plain(name) {
			src.Vars = append(src.Vars, v)
		}
	}
	src.Environ = map[string]string{}
	for _, v := range os.Environ() {
		name, value, _ := strings.Cut(v, "=")
		if variable, ok := strings.CutPrefix(name, "PDPROV_VAR_"); ok && in.plain(variable) {
			src.Environ[name] = value
		}
	}
	return src, nil
}

// plain says whether a variable is certainly not sensitive.
func (in *input) plain(variable string) bool {
	return slices.Contains(in.deployment.PlainVariables, variable)
}

// savedPlan reads the saved plan that apply was given, nil where it was given plan files.
func savedPlan(paths []string) (*plan.Saved, error) {
	if len(paths) != 1 || strings.HasSuffix(paths[0], ".hcl") {
		return nil, nil
	}
	info, err := os.Stat(paths[0])
	if err != nil || !info.Mode().IsRegular() {
		return nil, nil // whatever is wrong with it, reading it as a plan file says so
	}
	data, err := os.ReadFile(paths[0])
	if err != nil {
		return nil, err
	}
	if !bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) {
		return nil, nil
	}
	saved, err := plan.Load(data)
	if err == nil {
		err = locate(saved, filepath.Dir(paths[0]))
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", paths[0], err)
	}
	return saved, nil
}

// locate finds the files that a saved plan was made from: where they were, else as they
// lie to the saved plan, for what was moved together with it.
func locate(saved *plan.Saved, dir string) error {
	for _, list := range [][]string{saved.Source.Paths, saved.Source.VarFiles} {
		for i, was := range list {
			if exists(was) {
				continue
			}
			rel, err := filepath.Rel(saved.Source.Base, was)
			moved := filepath.Join(dir, rel)
			if err != nil || saved.Source.Base == "" || !exists(moved) {
				return fmt.Errorf("the plan was made from %s, which is not there now, nor as %s; put it back, move it together with the saved plan, or make the plan again", was, moved)
			}
			list[i] = moved
		}
	}
	return nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// absolute makes paths independent of the folder that pdprov runs in.
func absolute(paths []string) ([]string, error) {
	out := make([]string, 0, len(paths))
	for _, p := range paths {
		full, err := filepath.Abs(p)
		if err != nil {
			return nil, err
		}
		out = append(out, full)
	}
	return out, nil
}
