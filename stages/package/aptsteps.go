package packages

import (
	"strings"

	aptget "github.com/pdprov/pdprov/internal/apt"
	"github.com/pdprov/pdprov/internal/posixsh"
	"github.com/pdprov/pdprov/stages/stage"
)

// steps begins with the repair of dpkg, which is also all that a package needs which
// is unpacked, half-configured or waiting for triggers.
func (apt) steps(j job) []stage.Step {
	steps := []stage.Step{aptget.Ready()}
	if len(j.reinstall) > 0 {
		steps = append(steps, aptget.Step("reinstall "+strings.Join(j.reinstall, " "),
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
			steps = append(steps, aptget.Step(h.verb+" "+strings.Join(h.names, " "),
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
	return aptget.Step(strings.Join(title, ", "), lines...)
}
