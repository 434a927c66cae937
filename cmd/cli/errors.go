package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/pdprov/pdprov/cmd/view"
	"github.com/pdprov/pdprov/remote"
	"github.com/pdprov/pdprov/systemd/job"
)

// report shows an error, or all of them, and returns the exit status for it.
func (a *app) report(err error) int {
	var invalid *invalidError
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &invalid):
		a.diagnostics(invalid.diags, invalid.files)
		return exitError
	}
	all := failures(err)
	view.Errors(a.err, all, a.style(a.err))
	status := exitDone
	for _, one := range all {
		var gone *job.GoneError
		if remote.IsUnknown(one) || errors.As(one, &gone) {
			status = worst(status, exitUnknown)
		} else {
			status = worst(status, exitError)
		}
	}
	return status
}

// failures are the errors that an error holds, or itself.
func failures(err error) []error {
	switch many := err.(type) {
	case interface{ WrappedErrors() []error }:
		return many.WrappedErrors()
	case interface{ Unwrap() []error }:
		return many.Unwrap()
	}
	return []error{err}
}

// onHost names the host that an error belongs to, where it does not name it itself.
func onHost(name string, err error) error {
	if err == nil || strings.HasPrefix(err.Error(), name+":") {
		return err
	}
	return fmt.Errorf("%s: %w", name, err)
}
