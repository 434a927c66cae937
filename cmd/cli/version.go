package cli

import (
	"context"
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/pdprov/pdprov/cmd/view"
)

// version is set by the linker (Makefile).
var version = "unknown"

// versionDocument is what version prints with --json.
type versionDocument struct {
	Version string `json:"version"`
	Go      string `json:"go"`
}

func versionLine() string { return "pdprov " + version + " " + runtime.Version() }

func (a *app) versionCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "version", Short: "Print the version", Args: cobra.NoArgs,
		RunE: a.run(func(context.Context, []string) (int, error) {
			if a.json {
				return exitDone, view.JSON(a.out, versionDocument{version, runtime.Version()})
			}
			_, err := fmt.Fprintln(a.out, versionLine())
			return exitDone, err
		}),
	}
	jsonFlag(cmd.Flags(), &a.json)
	return cmd
}
