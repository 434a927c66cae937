package cli

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pdprov/pdprov/hcl/model"
	"github.com/pdprov/pdprov/stages/stage"
)

// file is where a LocalFile of a stage lies.
func file(st *model.Stage, attr string) string {
	f, _ := st.Config.File(attr)
	if filepath.IsAbs(f.Path) {
		return f.Path
	}
	return filepath.Join(st.Dir, f.Path)
}

// compile runs the program in a folder of its own, where the lock that there is lies
// already: what still fits stays as it is.
func compile(ctx context.Context, r stage.Resolution, from, to string, was []byte) ([]byte, error) {
	if _, err := os.Stat(from); err != nil {
		return nil, fmt.Errorf("%s: %w", r.From, err)
	}
	if _, err := exec.LookPath(r.Program); err != nil {
		return nil, fmt.Errorf("%s is not on this machine, and makes the lock. %s", r.Program, r.Remedy)
	}
	dir, err := os.MkdirTemp("", "pdprov-lock-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	out := filepath.Join(dir, filepath.Base(to))
	if len(was) > 0 {
		if err := os.WriteFile(out, was, 0o600); err != nil {
			return nil, err
		}
	}
	args := slices.Clone(r.Args)
	for i, arg := range args {
		switch arg {
		case stage.FromFile:
			args[i] = filepath.Base(from)
		case stage.ToFile:
			args[i] = out
		}
	}
	c := exec.CommandContext(ctx, r.Program, args...)
	c.Dir = filepath.Dir(from)
	c.Env = os.Environ()
	for name, value := range r.Env {
		c.Env = append(c.Env, name+"="+value)
	}
	var said bytes.Buffer
	c.Stdout, c.Stderr = &said, &said
	if err := c.Run(); err != nil {
		if ctx.Err() != nil {
			return nil, errInterrupted
		}
		return nil, fmt.Errorf("%s could not resolve %s, so nothing is written: %w\n%s", r.Program, from, err, strings.TrimSpace(said.String()))
	}
	return os.ReadFile(out)
}

// write puts a lock in its place at once.
func (r resolved) write() error {
	if r.was != nil {
		return replace(r.path, r.now)
	}
	return place(r.path, r.now, 0o644)
}
