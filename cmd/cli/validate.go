package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/pdprov/pdprov/cmd/view"
)

func (a *app) validateCommand() *cobra.Command {
	var c configuration
	cmd := &cobra.Command{
		Use: "validate [PATH...]", Short: "Check plan files without looking at any host",
		RunE: a.run(func(_ context.Context, args []string) (int, error) { return a.validate(args, c) }),
	}
	c.add(cmd.Flags())
	jsonFlag(cmd.Flags(), &a.json)
	return cmd
}

func (a *app) validate(paths []string, c configuration) (int, error) {
	in, err := a.load(paths, c)
	if err != nil {
		return a.refuse(err)
	}
	if a.json {
		return exitDone, view.JSON(a.out, view.PlanDocument(nil, in.warnings))
	}
	_, err = fmt.Fprintf(a.out, "Valid: %s.\n", view.Extent(in.deployment))
	return exitDone, err
}
