package cli

import (
	"testing"

	"github.com/pdprov/pdprov/hcl/model"
)

// TestLogsCommand: what is shown can be pasted, and shows no secret.
func TestLogsCommand(t *testing.T) {
	in := &input{paths: []string{"my plans/hosts.hcl", "more.hcl"}, deployment: &model.Deployment{PlainVariables: []string{"size", "zone"}}}
	for _, test := range []struct {
		name string
		r    reach
		want string
	}{
		{"plain", reach{}, "bin/pdprov logs 'my plans/hosts.hcl' more.hcl"},
		{"reached otherwise", reach{connection: connection{config: "lab/ssh config", askSudo: true}}, "bin/pdprov logs --ssh-config 'lab/ssh config' --ask-sudo-pass 'my plans/hosts.hcl' more.hcl"},
		{"variables", reach{configuration: configuration{
			vars: []string{"size=2 GB", "token=secret"}, varFiles: []string{"a.vars"}, environ: []string{"PDPROV_VAR_zone=eu", "PDPROV_VAR_token=secret"},
		}}, "bin/pdprov logs --var-file a.vars --var 'zone=eu' --var 'size=2 GB' 'my plans/hosts.hcl' more.hcl"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := in.logsCommand("bin/pdprov", test.r); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}
