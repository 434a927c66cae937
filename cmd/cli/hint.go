package cli

import (
	"strings"

	"github.com/pdprov/pdprov/internal/posixsh"
)

// logsCommand is the command line that lists the jobs of the hosts of these plan files,
// reached as now. Values of sensitive variables are left out: it is shown to people.
func (in *input) logsCommand(program string, r reach) string {
	words := []string{program, "logs"}
	if r.config != "" {
		words = append(words, "--ssh-config", r.config)
	}
	if r.askSudo {
		words = append(words, "--ask-sudo-pass")
	}
	for _, v := range r.varFiles {
		words = append(words, "--var-file", v)
	}
	var given []string
	for _, v := range r.environ { // a saved plan's own, which the shell does not have
		given = append(given, strings.TrimPrefix(v, "PDPROV_VAR_"))
	}
	for _, v := range append(given, r.vars...) { // the last of a name counts
		if name, _, _ := strings.Cut(v, "="); in.plain(name) {
			words = append(words, "--var", v)
		}
	}
	return posixsh.Words(append(words, in.paths...)...)
}
