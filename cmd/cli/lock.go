package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/spf13/cobra"

	"github.com/pdprov/pdprov/cmd/view"
	"github.com/pdprov/pdprov/hcl/eval"
	"github.com/pdprov/pdprov/hcl/model"
	"github.com/pdprov/pdprov/stages"
	"github.com/pdprov/pdprov/stages/stage"
)

// lockOptions are the flags of lock.
type lockOptions struct {
	configuration
	stages  []string
	check   bool
	upgrade bool
}

const lockLong = `For each venv stage that names its requirements, resolve them (uv pip compile, on this
machine) for the Python, the platform and the CUDA of the plan, and write the lock with a
hash of every file. Versions that the lock has stay where they still fit; --upgrade takes
the newest. What changes is shown. Nothing is written when anything fails.`

func (a *app) lockCommand() *cobra.Command {
	var o lockOptions
	cmd := &cobra.Command{
		Use: "lock [PATH...]", Short: "Write the locks of venv stages from their requirements", Long: lockLong,
		RunE: a.run(func(ctx context.Context, args []string) (int, error) { return a.lock(ctx, args, o) }),
	}
	o.add(cmd.Flags())
	cmd.Flags().StringArrayVar(&o.stages, "stage", nil, "only the stage at this `ADDRESS` (repeatable)")
	cmd.Flags().BoolVar(&o.check, "check", false, "write nothing, and exit with 2 when a lock is stale")
	cmd.Flags().BoolVar(&o.upgrade, "upgrade", false, "take the newest versions that the requirements allow")
	return cmd
}

// resolved is a lock as it should be.
type resolved struct {
	path     string
	was, now []byte
}

func (a *app) lock(ctx context.Context, paths []string, o lockOptions) (int, error) {
	if len(paths) == 0 {
		paths = []string{"."}
	}
	kinds := stages.All()
	d, diags := eval.Load(eval.Options{
		Paths: paths, Vars: o.vars, VarFiles: o.varFiles, Kinds: kinds, Environ: os.Environ(), Locks: true,
	})
	if diags.HasErrors() {
		return exitError, &invalidError{diags, d.Sources}
	}
	for _, addr := range o.stages {
		if _, ok := d.Stage(addr); !ok {
			return exitError, fmt.Errorf("there is no stage %s in the plan", addr)
		}
	}
	ctx, stop := a.interruptible(ctx, "Interrupted: nothing is written.")
	defer stop()
	made := map[string]resolved{}
	by := map[string]string{}
	for i := range d.Stages {
		st := &d.Stages[i]
		if len(o.stages) > 0 && !slices.Contains(o.stages, st.Addr) {
			continue
		}
		r, command, more, err := resolve(ctx, d, kinds, st, by, o)
		if err == nil && more.HasErrors() {
			err = &invalidError{more, d.Sources}
		}
		if err != nil {
			return exitError, err
		}
		a.diagnostics(more, d.Sources)
		if r.path != "" {
			made[r.path], by[r.path] = r, command
		}
	}
	if len(by) == 0 {
		return exitError, errors.New("no stage that was asked for names its requirements: give a venv stage requirements = \"requirements.in\" beside its lock")
	}
	return a.writeLocks(made, o.check)
}

// resolve makes the lock of one stage; by holds with which command each lock was made.
func resolve(ctx context.Context, d *model.Deployment, kinds stage.Kinds, st *model.Stage, by map[string]string, o lockOptions) (resolved, string, hcl.Diagnostics, error) {
	k, _ := kinds.Lookup(st.Kind)
	locker, ok := k.(stage.Locker)
	if !ok || len(st.Hosts) == 0 {
		return resolved{}, "", nil, nil
	}
	h, _ := d.Host(st.Hosts[0])
	in := d.Instance(st, h, nil)
	r, ok, found := locker.Lock(in)
	if !ok || len(found) > 0 {
		return resolved{}, "", diagnostics(d, st, found), nil
	}
	from, to := file(st, r.From), file(st, r.To)
	if o.upgrade {
		r.Args = append([]string{}, r.Args...)
		r.Args = slices.Insert(r.Args, len(r.Args)-1, "--upgrade")
	}
	command := strings.Join(append(r.Args, from), "\x00")
	switch {
	case by[to] == command:
		return resolved{}, "", nil, nil
	case by[to] != "":
		return resolved{}, "", nil, fmt.Errorf("%s: another stage keeps %s too, and resolves it otherwise (python, platform, cuda or requirements differ): give each a lock of its own", st.Addr, to)
	}
	was, err := os.ReadFile(to)
	if err != nil && !os.IsNotExist(err) {
		return resolved{}, "", nil, err
	}
	now, err := compile(ctx, r, from, to, was)
	if err != nil {
		return resolved{}, "", nil, fmt.Errorf("%s: %s", st.Addr, d.Hide(st.Addr, err.Error()))
	}
	in.Config.Values = maps.Clone(in.Config.Values)
	in.Config.Values[r.To] = stage.LocalData{Path: to, Data: now}
	return resolved{to, was, now}, command, diagnostics(d, st, k.Validate(in)), nil
}

func diagnostics(d *model.Deployment, st *model.Stage, found []stage.Finding) (diags hcl.Diagnostics) {
	for _, f := range found {
		f.Summary, f.Detail = d.Hide(st.Addr, f.Summary), d.Hide(st.Addr, f.Detail)
		diags = append(diags, st.Diagnostic(f))
	}
	return diags
}

// writeLocks shows what changes and, unless it is only a check, writes it.
func (a *app) writeLocks(made map[string]resolved, check bool) (int, error) {
	status := exitDone
	for _, path := range slices.Sorted(maps.Keys(made)) {
		r := made[path]
		if bytes.Equal(r.was, r.now) {
			a.say("%s is as its requirements resolve.", path)
			continue
		}
		if err := view.Difference(a.out, path, string(r.was), string(r.now), a.style(a.out)); err != nil {
			return exitError, err
		}
		if check {
			a.say("%s is stale: pdprov lock writes it anew.", path)
			status = exitChanges
			continue
		}
		if err := r.write(); err != nil {
			return exitError, err
		}
	}
	return status, nil
}
