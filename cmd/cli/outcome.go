package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/pdprov/pdprov/cmd/view"
	"github.com/pdprov/pdprov/engine/apply"
)

// outcome shows how an apply ended, with all failures together, and picks the status.
func (a *app) outcome(ctx context.Context, s apply.Summary, err error) (int, error) {
	if err != nil {
		told := slices.DeleteFunc(failures(err), func(one error) bool { return errors.Is(one, context.Canceled) })
		view.Errors(a.err, told, a.style(a.err))
	}
	if line := view.Outcome(s); line != "" && !a.json {
		fmt.Fprintln(a.out, line)
	}
	switch {
	case s.Failed > 0 || ctx.Err() != nil:
		return exitError, nil
	case s.Unknown > 0 || s.Unreachable > 0:
		return exitUnknown, nil
	case err != nil:
		return exitError, nil
	default:
		return exitDone, nil
	}
}
