package packages

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/pdprov/pdprov/internal/posixsh"
	"github.com/pdprov/pdprov/stages/stage"
)

// aptFunctions is the sh text that every step with apt loads.
//
//go:embed apt.sh
var aptFunctions string

// aptEnv keeps every program that a package may start from asking questions or
// restarting services on its own.
func aptEnv() map[string]string {
	return map[string]string{
		"DEBIAN_FRONTEND":          "noninteractive",
		"DEBIAN_PRIORITY":          "critical",
		"NEEDRESTART_MODE":         "l",
		"NEEDRESTART_SUSPEND":      "1",
		"APT_LISTCHANGES_FRONTEND": "none",
		"APT_LISTBUGS_FRONTEND":    "none",
		"UCF_FORCE_CONFFOLD":       "1",
	}
}

func aptStep(title string, lines ...string) stage.Step {
	return stage.Step{
		Title:  title,
		Script: "# shellcheck source=/dev/null\n. \"$PDPROV_FILES/apt.sh\"\n" + strings.Join(lines, "\n") + "\n",
		Files:  []stage.File{{Name: "apt.sh", Data: []byte(aptFunctions)}},
		Env:    aptEnv(),
	}
}

func (apt) steps(j job) []stage.Step {
	steps := []stage.Step{aptStep("make apt ready", "wait_for_locks", "repair_dpkg")}
	if len(j.reinstall) > 0 {
		steps = append(steps, aptStep("reinstall "+strings.Join(j.reinstall, " "),
			"refresh_old_lists", "apt_get install --reinstall -- "+posixsh.Words(j.reinstall...)))
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
	lines = append(lines,
		"may_remove="+posixsh.Quote(strings.Join(j.remove, " ")),
		"may_change_held="+posixsh.Quote(strings.Join(slices.Sorted(slices.Values(j.held)), " ")),
		"transact "+posixsh.Words(args...))
	return aptStep(strings.Join(title, ", "), lines...)
}
