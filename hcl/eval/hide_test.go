package eval_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pdprov/pdprov/hcl/eval"
	"github.com/pdprov/pdprov/stages"
)

// TestNoSecretInAnyMessage puts a sensitive value where it does not belong: it is
// refused, and no message shows it.
func TestNoSecretInAnyMessage(t *testing.T) {
	const secret = "S3CR3T\tvalue"
	for _, wrong := range []string{
		`stage "file" "x" {
  path    = "/srv/${var.token}"
  content = ""
}`,
		`stage "file" "x" {
  path    = "/srv/x"
  content = ""
  owner   = var.token
}`,
		`stage "file" "x" {
  path    = "/srv/x"
  content = file(var.token)
}`,
		`stage "file" "x" {
  path   = "/srv/x"
  source = var.token
}`,
		`stage "package" "x" {
  packages = { jq = var.token }
}`,
		`stage "command" "x" {
  check = "true"
  apply = "true"
  dir   = var.token
}`,
		`stage "unit" "x" {
  name = var.token
}`,
		`stage "venv" "x" {
  path      = "/srv/x"
  lock      = "x.lock"
  index_url = "https://user:${var.token}@host/"
}`,
	} {
		dir := t.TempDir()
		text := "host \"a\" {}\nvariable \"token\" {\n  type      = string\n  sensitive = true\n}\n" + wrong + "\n"
		if err := os.WriteFile(filepath.Join(dir, "x.hcl"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, diags := eval.Load(eval.Options{Paths: []string{dir}, Vars: []string{"token=" + secret}, Kinds: stages.All()})
		if !diags.HasErrors() {
			t.Errorf("accepted:\n%s", wrong)
		}
		for _, d := range diags {
			if strings.Contains(d.Summary+d.Detail, "S3CR3T") {
				t.Errorf("the message %q %q shows the secret of\n%s", d.Summary, d.Detail, wrong)
			}
		}
	}
}
