package eval_test

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/hashicorp/hcl/v2"

	"github.com/pdprov/pdprov/hcl/eval"
)

// FuzzLoad evaluates any text as a plan file: it may be wrong, and must not panic, nor
// may printing what is wrong with it.
func FuzzLoad(f *testing.F) {
	for _, pattern := range []string{"testdata/*/*.hcl", "testdata/*/*/*.hcl"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			f.Fatalf("no seeds: %v", err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(text)
		}
	}
	dir := f.TempDir()
	for name, text := range map[string]string{"data.txt": "text\n", "t.tmpl": "${t}\n", "m/m.hcl": "variable \"in\" {\n  default = 1\n}\noutput \"out\" {\n  value = var.in\n}\n"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			f.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			f.Fatal(err)
		}
	}
	plan := filepath.Join(dir, "plan.hcl")
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := os.WriteFile(plan, text, 0o600); err != nil {
			t.Fatal(err)
		}
		d, diags := eval.Load(eval.Options{
			Paths: []string{plan}, Kinds: fakeKinds(), Environ: []string{"HOME=/home/x", "PDPROV_VAR_token=S3CR3T"},
		})
		printDiagnostics(diags)
		printDeployment(d, true)
		if err := hcl.NewDiagnosticTextWriter(io.Discard, d.Sources, 78, true).WriteDiagnostics(diags); err != nil {
			t.Error(err)
		}
	})
}
