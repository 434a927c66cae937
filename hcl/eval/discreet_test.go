package eval_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"

	"github.com/pdprov/pdprov/hcl/eval"
	"github.com/pdprov/pdprov/stages"
)

const innerModule = "variable \"t\" {\n  type      = string\n  sensitive = true\n  validation {\n    condition     = length(var.t) < 3\n    error_message = \"Too long.\"\n  }\n}\n"

// TestNoSecretInAnyPicture: the lines of plan files under a message spell no sensitive
// value out, whatever is wrong with the plan.
func TestNoSecretInAnyPicture(t *testing.T) {
	token := "variable \"token\" {\n  sensitive = true\n}\n"
	for name, text := range map[string]string{
		"misspelled default":    "variable \"t\" {\n  sensitive = true\n  defualt   = \"S3CR3T\"\n}",
		"misspelled sensitive":  "variable \"t\" {\n  sensitve = true\n  type = number\n  default   = \"S3CR3T\"\n}",
		"not a flag":            "variable \"t\" {\n  sensitive = \"yes\"\n  type = number\n  default   = \"S3CR3T\"\n}",
		"block as default":      "variable \"t\" {\n  sensitive = true\n  default { token = \"S3CR3T\" }\n}",
		"one line":              `variable "t" { sensitive = true  default = "S3CR3T" }`,
		"one line and labels":   `variable "t" "u" { default = "S3CR3T" }` + "\nvariable \"v\" {\n  sensitive = true\n  default = \"S3CR3T\" \"S3CR3T\"\n}",
		"quote left open":       "variable \"t\" {\n  sensitive = true\n  default = \"S3CR3T\n}\nhost \"b\" {}",
		"heredoc left open":     "variable \"t\" {\n  sensitive = true\n  default = <<EOT\nS3CR3T\n}",
		"values without blocks": "token = \"S3CR3T\"\nother = <<EOT\nS3CR3T\nEOT",
		"and broken":            "token = \"S3CR3T\nother = [\n\"S3CR3T\"\n",
		"key of a map":          "variable \"t\" {\n  sensitive = true\n  type = map(number)\n  default = { \"S3CR3T\" = \"x\" }\n}",
		"bare key of a map":     "variable \"t\" {\n  sensitive = true\n  type = map(number)\n  default = { S3CR3T = \"x\" }\n}",
		"key found invalid":     "variable \"t\" {\n  sensitive = true\n  type = map(string)\n  default = { \"S3CR3T\" = \"x\" }\n}\nstage \"command\" \"c\" {\n  check = \"true\"\n  apply = \"true\"\n  env   = merge(var.t, { \"a=b\" = \"1\" })\n}",
		"derived key":           token + "stage \"command\" \"c\" {\n  check = \"true\"\n  apply = \"true\"\n  env   = { (\"${upper(var.token)}=\") = \"v\" }\n}",
		"input of a module":     "locals {\n  u = \"x\"\n}\nmodule \"m\" {\n  source = \"./m\"\n  t      = \"S3CR3T-${local.u}\"\n}",
		"by way of a local":     "locals {\n  u = \"S3CR3T\"\n  v = [local.u\n  ]\n  w = local.u + 1\n}\nmodule \"m\" {\n  source = \"./m\"\n  t      = local.u\n}\nstage \"file\" \"x\" {\n  path = local.none == \"S3CR3T\"\n}",
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			if err := os.Mkdir("m", 0o700); err != nil {
				t.Fatal(err)
			}
			write(t, "m/m.hcl", innerModule)
			write(t, "plan.hcl", "host \"a\" {}\n"+text+"\n")
			if strings.Contains(name, "values") || strings.Contains(name, "broken") {
				write(t, "plan.hcl", text+"\n")
			}
			noSecret(t, eval.Options{Environ: []string{"PDPROV_VAR_token=s3cr3t"}})
		})
	}
}

// TestVarFileIsNoPlan: a file of variables that lies among the plan files is not read as one.
func TestVarFileIsNoPlan(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "plan.hcl", "host \"a\" {}\nvariable \"token\" {\n  type      = number\n  sensitive = true\n}\n")
	write(t, "secrets.hcl", "token = \"S3CR3T\"\n")
	noSecret(t, eval.Options{})
	if shown := noSecret(t, eval.Options{VarFiles: []string{"./secrets.hcl"}}); strings.Contains(shown, "outside") {
		t.Error(shown)
	}
}

func noSecret(t *testing.T, o eval.Options) string {
	t.Helper()
	o.Kinds = stages.All()
	d, diags := eval.Load(o)
	if !diags.HasErrors() {
		t.Error("accepted")
	}
	var shown bytes.Buffer
	if err := hcl.NewDiagnosticTextWriter(&shown, d.Sources, 78, false).WriteDiagnostics(diags); err != nil {
		t.Error(err)
	}
	if strings.Contains(shown.String()+printDiagnostics(diags), "S3CR3T") {
		t.Errorf("shows the secret:\n%s", shown.String())
	}
	return shown.String()
}
