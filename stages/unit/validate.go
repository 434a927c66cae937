package unit

import (
	"fmt"

	"github.com/pdprov/pdprov/internal/hostfile"
	"github.com/pdprov/pdprov/stages/stage"
	"github.com/pdprov/pdprov/systemd/unit"
)

// Validate checks the block by itself.
func (Kind) Validate(in stage.Instance) []stage.Finding {
	w := read(in)
	found := append(nameFindings(w), conflicts(in, w)...)
	for i, addr := range in.Config.List("restart_on") {
		if r, known := in.Refs[addr]; known && pathOf(r) == "" {
			found = append(found, stage.Finding{
				Path: fmt.Sprintf("restart_on[%d]", i), Summary: "Nothing to compare",
				Detail: "The stage " + addr + " keeps no path on the host, so there is no time that the process could be older than.",
			})
		}
	}
	for i, p := range in.Config.List("dropins") {
		if why := hostfile.BadPath(p); why != "" {
			found = append(found, stage.Finding{Path: fmt.Sprintf("dropins[%d]", i), Summary: "Not a usable path", Detail: why})
		}
	}
	if w.content != nil {
		found = append(found, contentFindings(in, w)...)
	}
	return found
}

func nameFindings(w wish) []stage.Finding {
	if err := unit.ValidName(w.name); err != nil {
		return []stage.Finding{{Path: "name", Summary: "Not the name of a unit", Detail: "systemd does not take this name: " + err.Error() + "."}}
	}
	return nil
}

// conflicts are attributes that cannot hold together.
func conflicts(in stage.Instance, w wish) []stage.Finding {
	var found []stage.Finding
	add := func(path, detail string) {
		found = append(found, stage.Finding{Path: path, Summary: "Attributes that do not go together", Detail: detail})
	}
	for _, name := range []string{"content", "enabled", "running"} {
		if w.absent && in.Config.Has(name) {
			add(name, "With ensure = \"absent\" the unit is stopped, disabled and removed. Remove "+name+".")
		}
	}
	if !w.template() {
		return found
	}
	for _, name := range []string{"enabled", "running"} {
		if in.Config.Has(name) {
			add(name, w.name+" is a template; only its instances can be enabled and run. Write a unit stage for each, without content.")
		}
	}
	return found
}

func contentFindings(in stage.Instance, w wish) []stage.Finding {
	if in.Config.Secret["content"] {
		return []stage.Finding{{
			Path: "content", Summary: "A secret in a unit file",
			Detail: "Everybody on the host can read a unit file. Keep the secret in a file stage with mode 0600 and name it by EnvironmentFile= or LoadCredential=.",
		}}
	}
	file, found := problems(w.name, *w.content)
	switch {
	case len(found) > 0 && found[0].Severity == stage.Error:
		return found
	case w.enabled != nil && *w.enabled && !installs(file):
		return append(found, stage.Finding{
			Path: "enabled", Summary: "This unit cannot be enabled",
			Detail: "The content has no [Install] section that says what starts the unit (WantedBy=, RequiredBy=, Alias= or Also=). Add one, or leave enabled unset.",
		})
	case w.running != nil && *w.running && ends(w.name, file):
		return append(found, stage.Finding{
			Path: "running", Summary: "This unit does not stay active",
			Detail: "A Type=oneshot service without RemainAfterExit=yes is inactive as soon as its command has ended, so it would be started at every apply. Add RemainAfterExit=yes, or leave running unset.",
		})
	}
	return found
}
