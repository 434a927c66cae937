package eval_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"

	"github.com/pdprov/pdprov/hcl/eval"
	"github.com/pdprov/pdprov/internal/golden"
)

// TestSpec evaluates each folder of testdata. A line of its file "args" is one of
// var NAME=VALUE, var-file FILE, env NAME=VALUE, path PATH, ranges (print them), or
// secret TEXT, which no message may show.
func TestSpec(t *testing.T) {
	folders, err := filepath.Glob("testdata/*/want.txt")
	if err != nil || len(folders) < 40 {
		t.Fatalf("%d cases, %v", len(folders), err)
	}
	home, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range folders {
		t.Run(filepath.Base(filepath.Dir(want)), func(t *testing.T) {
			t.Chdir(filepath.Dir(want))
			spec(t, filepath.Join(home, want))
		})
	}
}

func spec(t *testing.T, want string) {
	c := arguments(t)
	d, diags := eval.Load(c.options)
	got := printDiagnostics(diags)
	if !diags.HasErrors() {
		got += printDeployment(d, c.ranges)
	}
	golden.Check(t, want, []byte(got))
	var shown bytes.Buffer
	if err := hcl.NewDiagnosticTextWriter(&shown, d.Sources, 78, false).WriteDiagnostics(diags); err != nil {
		t.Error(err)
	}
	for _, secret := range c.secrets {
		if strings.Contains(shown.String()+printDiagnostics(diags), secret) {
			t.Errorf("a message shows %q:\n%s", secret, shown.String())
		}
	}
}

// arguments of one case.
type argumentsOf struct {
	options eval.Options
	ranges  bool
	secrets []string
}

func arguments(t *testing.T) (c argumentsOf) {
	c.options = eval.Options{Kinds: fakeKinds()}
	text, err := os.ReadFile("args")
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		word, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch word {
		case "var":
			c.options.Vars = append(c.options.Vars, rest)
		case "var-file":
			c.options.VarFiles = append(c.options.VarFiles, rest)
		case "env":
			c.options.Environ = append(c.options.Environ, rest)
		case "path":
			c.options.Paths = append(c.options.Paths, rest)
		case "ranges":
			c.ranges = true
		case "secret":
			c.secrets = append(c.secrets, rest)
		default:
			t.Fatalf("args: unknown word %q", word)
		}
	}
	return c
}
