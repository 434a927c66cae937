package eval_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pdprov/pdprov/hcl/eval"
	"github.com/pdprov/pdprov/stages"
)

// load evaluates one text with the real kinds.
func load(t *testing.T, text string) (string, string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "plan.hcl"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	d, diags := eval.Load(eval.Options{Kinds: stages.All()})
	return printDeployment(d, false), printDiagnostics(diags)
}

// TestTooBig: a file that cannot travel is refused before it is read.
func TestTooBig(t *testing.T) {
	big := filepath.Join(t.TempDir(), "big")
	if err := os.WriteFile(big, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(big, 64<<20+1); err != nil {
		t.Fatal(err)
	}
	for _, attr := range []string{`source = "` + big + `"`, `content = file("` + big + `")`} {
		_, diags := load(t, "host \"a\" {}\nstage \"file\" \"x\" {\n  path = \"/x\"\n  "+attr+"\n}\n")
		if !strings.Contains(diags, "has 67108865 bytes; at most 67108864") {
			t.Errorf("%s: %s", attr, diags)
		}
	}
}

// TestHTTPService uses the module as its header shows it, and once more as another user.
func TestHTTPService(t *testing.T) {
	plan, diags := load(t, `
host "a" {}
module "web" {
  source      = "builtin/http_service"
  name        = "web"
  command     = "/usr/bin/python3 -m http.server 8080"
  config_path = "/etc/web.conf"
  config      = "port = 8080\n"
}
module "own" {
  source      = "builtin/http_service"
  name        = "own"
  user        = "www-data"
  command     = "/usr/bin/own"
  config_path = "/etc/own.conf"
  config      = "x\n"
}
stage "file" "name" {
  path    = "/etc/unit"
  content = module.web.unit
}
`)
	if diags != "" {
		t.Fatal(diags)
	}
	for _, want := range []string{
		"stage module.web.file.config", "stage module.web.unit.service", "DynamicUser=yes", "User=www-data",
		`restart_on = []string []string{"module.web.file.config"}`, `content = string "web.service"`,
		`ExecStart=/usr/bin/python3 -m http.server 8080\n`,
	} {
		if !strings.Contains(plan, want) {
			t.Errorf("no %q in\n%s", want, plan)
		}
	}
}

// TestHTTPServiceName: the name becomes part of a unit file, so it is checked.
func TestHTTPServiceName(t *testing.T) {
	_, diags := load(t, "host \"a\" {}\nmodule \"web\" {\n  source = \"builtin/http_service\"\n  name = \"../web\"\n  command = \"x\"\n  config_path = \"/x\"\n  config = \"\"\n}\n")
	if !strings.Contains(diags, "plan.hcl:4,10-18: error: Invalid value for variable; The name is lower-case letters") {
		t.Error(diags)
	}
}
