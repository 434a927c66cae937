package acceptance

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/pdprov/pdprov/internal/lab"
)

// bin is the folder of the program under test: PDPROV_BIN, or built once a run.
var bin string

func TestMain(m *testing.M) {
	if bin = os.Getenv("PDPROV_BIN"); bin != "" {
		os.Exit(m.Run())
	}
	dir, err := os.MkdirTemp("", "pdprov-acceptance.")
	if err != nil {
		panic(err)
	}
	bin = dir
	build := exec.Command("go", "build", "-o", dir, "github.com/pdprov/pdprov/cmd/pdprov")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		panic(string(out))
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

func TestScripts(t *testing.T) {
	lab.Require(t)
	runScripts(t, "testdata")
}

// TestVM runs what needs a kernel of its own. The machine is emulated, so it takes minutes.
func TestVM(t *testing.T) {
	if os.Getenv("PDLAB_VM") != "1" {
		t.Skip("it takes minutes; make acceptance-vm runs it (PDLAB_VM=1)")
	}
	lab.RequireVM(t)
	runScripts(t, "testdata/vm")
}

func runScripts(t *testing.T, dir string) {
	testscript.Run(t, testscript.Params{
		Dir: dir, Cmds: commands(), ContinueOnError: false, RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			env.Values[stateKey] = &state{work: env.WorkDir}
			env.Setenv("HOME", filepath.Join(env.WorkDir, "home"))
			env.Setenv("PATH", bin+":"+os.Getenv("PATH"))
			env.Setenv("PDPROV", filepath.Join(bin, "pdprov"))
			return os.MkdirAll(filepath.Join(env.WorkDir, "home"), 0o700)
		},
	})
}
