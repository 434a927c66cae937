package packages

import (
	_ "embed"
	"strings"

	"github.com/pdprov/pdprov/internal/posixsh"
	"github.com/pdprov/pdprov/stages/stage"
)

// aptFunctions is the sh text that every step with apt loads.
//
//go:embed apt.sh
var aptFunctions string

func aptStep(title string, lines ...string) stage.Step {
	return stage.Step{
		Title:  title,
		Script: "# shellcheck source=/dev/null\n. \"$PDPROV_FILES/apt.sh\"\n" + strings.Join(lines, "\n") + "\n",
		Files:  []stage.File{{Name: "apt.sh", Data: []byte(aptFunctions)}},
	}
}

// steps begins with the repair of dpkg, which is also all that a package needs which
// is unpacked, half-configured or waiting for triggers.
func (apt) steps(j job) []stage.Step {
	steps := []stage.Step{aptStep("make apt ready", "wait_for_locks", "repair_dpkg")}
	if len(j.reinstall) > 0 {
		steps = append(steps, aptStep("reinstall "+strings.Join(j.reinstall, " "),
			"refresh_old_lists", "reinstall '' "+posixsh.Quote(strings.Join(j.held, " "))+" "+posixsh.Words(j.reinstall...)))
	}
	if len(j.install)+len(j.remove) > 0 {
		steps = append(steps, j.transaction())
	}
	for _, h := range []struct {
		verb  string
		names []string
	}{{"hold", j.hold}, {"unhold", j.unhold}} {
		if len(h.names) > 0 {
			steps = append(steps, aptStep(h.verb+" "+strings.Join(h.names, " "),
				"wait_for_locks", "apt-mark "+h.verb+" "+posixsh.Words(h.names...)))
		}
	}
	return steps
}

// transaction installs and removes at once, so that one package can take the place
// of another without a moment in which neither is there.
func (j job) transaction() stage.Step {
	var title, lines, args []string
	if len(j.install) > 0 {
		var words []string
		for _, t := range j.install {
			word := t.name
			if t.version != "" {
				word += "=" + t.version
			}
			words = append(words, word)
		}
		title = append(title, "install "+strings.Join(words, " "))
		lines = append(lines, "refresh_old_lists", "know "+posixsh.Words(words...))
		args = append(args, words...)
	}
	if len(j.remove) > 0 {
		title = append(title, "remove "+strings.Join(j.remove, " "))
	}
	for _, name := range j.remove {
		args = append(args, name+"-") // apt-get install NAME- removes
	}
	lines = append(lines, "transact "+posixsh.Words(append([]string{strings.Join(j.remove, " "), strings.Join(j.held, " ")}, args...)...))
	return aptStep(strings.Join(title, ", "), lines...)
}
