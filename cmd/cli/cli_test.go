package cli_test

import (
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/pdprov/pdprov/cmd/cli"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"pdprov": func() { os.Exit(cli.Main()) }})
}

// TestScripts runs everything that needs no other host. Some scripts look at this
// machine (address = "local"); none changes it.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata", RequireExplicitExec: true, UpdateScripts: os.Getenv("UPDATE_GOLDEN") == "1",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
		Setup: func(env *testscript.Env) error {
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("UID", strconv.Itoa(os.Getuid()))
			env.Setenv("GID", strconv.Itoa(os.Getgid()))
			return nil
		},
	})
}

// exits STATUS ARG... runs the command line, which must end with this status.
func exits(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec("pdprov", args[1:]...)
	got := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("pdprov %s: exit status %d, want %d", strings.Join(args[1:], " "), got, want)
	}
}
