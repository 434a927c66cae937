package eval_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"

	"github.com/pdprov/pdprov/hcl/eval"
)

// anywhere are values of every sort, right and wrong.
var anywhere = []string{
	`null`, `true`, `0`, `-1`, `1e400`, `1 / 0`, `"text"`, `""`, `[]`, `[null]`, `["a", ["b"]]`, `{}`, `{ a = null }`,
	`{ addr = "file.one", kind = "file" }`, `{ addr = 1, kind = 2 }`, `{ addr = null, kind = null }`,
	`{ name = "a", address = "a" }`, `[{ name = null, address = 1 }]`, `toset([])`, `toset([null])`, `toset([stage.file.one])`,
	`tomap({})`, `tomap({ a = stage.file.one })`, `var.token`, `[var.token]`, `toset([var.token])`, `{ (var.token) = var.token }`,
	`{ a = var.token }`, `var.empty`, `local.failed`, `[local.failed]`, `{ a = local.failed }`, `try(local.failed, 1)`,
	`stage.file.one`, `[stage.file.one]`, `stage.file.one.content`, `stage.file.many`, `stage.file.many["k"]`, `stage.file.many["k"].path`,
	`stage.file.none`, `[stage.file.many, stage.file.none]`, `stage.unit.uses.restart_on`, `stage.unit.uses.after`, `stage.venv.broken`,
	`host.a`, `[host.a]`, `toset([host.a])`, `host.broken`, `[host.broken]`, `module.m`, `module.m.out`, `module.m.secret`, `module.broken`,
	`each.key`, `each.value`, `each`, `jsondecode("\"\\u0000\"")`, `{ (jsondecode("\"\\u0000\"")) = "x" }`, `[for s in [stage.file.one] : s.path]`,
	`var.token == "x" ? stage.file.one : stage.file.one`, `var.token == "x" ? [host.a] : []`, `length(var.token)`, `stage.file.many[*]`,
	`[for k, v in stage.file.many : v]`, `values(stage.file.many)`, `"${null}"`, `"${[]}"`, `file(null)`, `tolist(null)`, `5 +`, `stage`, `var`,
}

// places are attributes of every block, each with room for one value.
var places = []string{
	"variable \"x\" {\n  default = %s\n}", "variable \"x\" {\n  type = %s\n}", "variable \"x\" {\n  sensitive = %s\n}",
	"variable \"x\" {\n  type = list(string)\n  default = %s\n  sensitive = true\n}",
	"variable \"x\" {\n  default = 1\n  validation {\n    condition = %s\n    error_message = \"m\"\n  }\n}",
	"variable \"x\" {\n  default = 1\n  validation {\n    condition = false\n    error_message = %s\n  }\n}",
	"locals {\n  x = %s\n}", "output \"x\" {\n  value = %s\n}", "output \"x\" {\n  value = 1\n  sensitive = %s\n}",
	"host \"x\" {\n  address = %s\n}", "host \"x\" {\n  port = %s\n}", "host \"x\" {\n  sudo = %s\n}", "host \"x\" {\n  environment = %s\n}",
	"module \"x\" {\n  source = %s\n}", "module \"x\" {\n  source = \"./m\"\n  in = %s\n}", "module \"x\" {\n  source = \"./m\"\n  hosts = %s\n}",
	"stage \"file\" \"x\" {\n  path = \"/x\"\n  for_each = %s\n}", "stage \"file\" \"x\" {\n  for_each = { e = 1 }\n  path = %s\n}",
	"stage \"file\" \"x\" {\n  path = \"/x\"\n  content = %s\n}", "stage \"file\" \"x\" {\n  path = \"/x\"\n  source = %s\n}",
	"stage \"file\" \"x\" {\n  path = \"/x\"\n  ensure = %s\n}", "stage \"file\" \"x\" {\n  path = \"/x\"\n  hosts = %s\n}",
	"stage \"file\" \"x\" {\n  path = \"/x\"\n  depends_on = %s\n}", "stage \"file\" \"x\" {\n  path = \"/x\"\n  depends_on = [%s]\n}",
	"stage \"file\" \"x\" {\n  path = \"/x\"\n  ignore = %s\n}", "stage \"unit\" \"x\" {\n  name = \"x\"\n  after = %s\n}",
	"stage \"unit\" \"x\" {\n  name = \"x\"\n  restart_on = %s\n}", "stage \"unit\" \"x\" {\n  name = \"x\"\n  running = %s\n}",
	"stage \"venv\" \"x\" {\n  keep = %s\n}", "stage \"venv\" \"x\" {\n  words = %s\n}", "stage \"venv\" \"x\" {\n  env = %s\n}",
}

const anywhereModule = `
variable "in" {
  default = null
}
output "out" {
  value = var.in
}
output "secret" {
  value     = "made of S3CR3T"
  sensitive = true
}
`

const around = `
host "a" {}
variable "token" {
  sensitive = true
}
variable "empty" {
  type    = string
  default = null
}
module "m" {
  source = "./m"
}
stage "file" "one" {
  path    = "/one"
  content = var.token
}
stage "file" "many" {
  for_each = toset(["k"])
  path     = each.key
}
stage "file" "none" {
  for_each = {}
  path     = each.key
}
stage "unit" "uses" {
  name       = "u"
  restart_on = [stage.file.one]
  after      = stage.file.one
}
`

const broken = `
locals {
  failed = nosuchfunction()
}
host "broken" {
  port = "x"
}
module "broken" {
  source = "./nowhere"
}
stage "venv" "broken" {
  keep = "x"
}
`

// TestAnyValueAnywhere puts every value at every place: no panic, the same messages each
// time, and never the sensitive value in one.
func TestAnyValueAnywhere(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir("m", 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join("m", "m.hcl"), anywhereModule)
	for _, place := range places {
		for _, value := range anywhere {
			block := fmt.Sprintf(place, value) + "\n"
			text := around + block
			if strings.Contains(value, "failed") || strings.Contains(value, "broken") {
				text += broken
			}
			write(t, "plan.hcl", text)
			first, again := messages(t, block), messages(t, block)
			if first != again {
				t.Errorf("two loads of\n%s differ:\n%s\n%s", block, first, again)
			}
			if strings.Contains(first, "S3CR3T") {
				t.Errorf("shows the secret:\n%s\n%s", block, first)
			}
		}
	}
}

func messages(t *testing.T, block string) string {
	defer func() {
		if r := recover(); r != nil {
			t.Errorf("panic for\n%s: %v", block, r)
		}
	}()
	var shown bytes.Buffer
	d, diags := eval.Load(eval.Options{Kinds: fakeKinds(), Vars: []string{"token=S3CR3T-value"}})
	printDeployment(d, true)
	if err := hcl.NewDiagnosticTextWriter(&shown, d.Sources, 78, false).WriteDiagnostics(diags); err != nil {
		t.Error(err)
	}
	return printDiagnostics(diags) + shown.String()
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
