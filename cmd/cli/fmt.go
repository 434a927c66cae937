package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/hashicorp/hcl/v2"
	"github.com/spf13/cobra"

	"github.com/pdprov/pdprov/cmd/view"
	"github.com/pdprov/pdprov/hcl/config"
)

// fmtOptions are the flags of fmt.
type fmtOptions struct{ check, diff bool }

func (a *app) fmtCommand() *cobra.Command {
	var o fmtOptions
	cmd := &cobra.Command{
		Use: "fmt [PATH...|-]", Short: "Lay plan files out anew and name those that changed; - is the standard input",
		RunE: a.run(func(_ context.Context, args []string) (int, error) { return a.format(args, o) }),
	}
	cmd.Flags().BoolVar(&o.check, "check", false, "write nothing, and exit with 1 when a file would change")
	cmd.Flags().BoolVar(&o.diff, "diff", false, "show what changes")
	return cmd
}

func (a *app) format(paths []string, o fmtOptions) (int, error) {
	if len(paths) == 1 && paths[0] == "-" {
		return a.formatInput(o)
	}
	files, err := planFiles(paths)
	if err != nil {
		return exitError, err
	}
	status := exitDone
	for _, name := range files {
		changed, err := a.formatFile(name, o)
		if err != nil {
			status = worst(status, a.report(err))
		}
		if changed && o.check {
			status = exitError
		}
	}
	return status, nil
}

// formatInput writes the laid out text, or with --check or --diff only speaks of it.
func (a *app) formatInput(o fmtOptions) (int, error) {
	src, err := io.ReadAll(a.in)
	if err != nil {
		return exitError, err
	}
	text, err := layout(src, "-")
	if err != nil {
		return exitError, err
	}
	changed := string(text) != string(src)
	switch {
	case o.diff && changed:
		err = view.Difference(a.out, "-", string(src), string(text), a.style(a.out))
	case !o.diff && !o.check:
		_, err = a.out.Write(text)
	}
	if o.check && changed {
		return exitError, err
	}
	return exitDone, err
}

func (a *app) formatFile(name string, o fmtOptions) (changed bool, err error) {
	src, err := os.ReadFile(name)
	if err != nil {
		return false, err
	}
	text, err := layout(src, name)
	if err != nil || string(text) == string(src) {
		return false, err
	}
	if o.diff {
		err = view.Difference(a.out, name, string(src), string(text), a.style(a.out))
	} else {
		_, err = fmt.Fprintln(a.out, name)
	}
	if o.check || err != nil {
		return true, err
	}
	return true, replace(name, text)
}

func layout(src []byte, name string) ([]byte, error) {
	text, diags := config.Format(src, name)
	if diags.HasErrors() {
		config.Shroud(src)
		return nil, &invalidError{diags, map[string]*hcl.File{name: {Bytes: src}}}
	}
	return text, nil
}

// replace puts a file's new text in its place at once, with the mode that it has.
func replace(name string, text []byte) error {
	name, err := filepath.EvalSymlinks(name)
	if err != nil {
		return err
	}
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	return place(name, text, info.Mode().Perm())
}

// place puts a file there at once, whole or not at all.
func place(name string, text []byte, mode os.FileMode) error {
	tmp, err := os.CreateTemp(filepath.Dir(name), ".pdprov-new-")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.Write(text)
	if err = errors.Join(err, tmp.Chmod(mode), tmp.Close()); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), name)
}

// planFiles are the files that are named, and the *.hcl files of folders in order.
func planFiles(paths []string) ([]string, error) {
	if len(paths) == 0 {
		paths = []string{"."}
	}
	var files []string
	for _, p := range paths {
		found, err := config.Files(p)
		if err != nil {
			return nil, err
		}
		files = append(files, found...)
	}
	return files, nil
}
