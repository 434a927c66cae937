// Package cli is the command line: one file a command, which reads flags, calls the
// engine, shows the result and picks the exit status.
package cli

import (
	"context"
	"errors"
	"os"
	"strings"

	"github.com/spf13/cobra"
)

// Main runs the command line of the process and returns its exit status.
func Main() int {
	t := &terminal{in: os.Stdin, out: os.Stdout, err: os.Stderr}
	return (&app{terminal: t}).main(context.Background(), os.Args[1:])
}

// app is one run of one command.
type app struct {
	*terminal
	json   bool
	status int
}

// usage lays out what cobra says of a command line: its suggestions come after an empty
// line and behind tabs.
var usage = strings.NewReplacer("\n\n", "\n", "\t", "  ")

func (a *app) main(ctx context.Context, args []string) int {
	root := a.root()
	root.SetArgs(args)
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	cmd, err := root.ExecuteContextC(ctx)
	if err != nil {
		a.report(errors.New(usage.Replace(strings.TrimSpace(err.Error()))))
		a.say("See: %s --help", cmd.CommandPath())
		return exitError
	}
	return a.status
}

// action is what a command does: its exit status, and why it could not do more.
type action func(ctx context.Context, args []string) (int, error)

// run makes a command of an action.
func (a *app) run(do action) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		status, err := do(cmd.Context(), args)
		a.status = worst(status, a.report(err))
		return nil
	}
}
