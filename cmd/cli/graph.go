package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/pdprov/pdprov/cmd/view"
)

func (a *app) graphCommand() *cobra.Command {
	var c configuration
	cmd := &cobra.Command{
		Use: "graph [PATH...]", Short: "Print the stages and what they need in the language of graphviz (DOT)",
		RunE: a.run(func(_ context.Context, args []string) (int, error) {
			in, err := a.load(args, c)
			if err != nil {
				return exitError, err
			}
			return exitDone, view.Graph(a.out, in.deployment)
		}),
	}
	c.add(cmd.Flags())
	return cmd
}
