package cuda

import (
	"strings"

	"github.com/pdprov/pdprov/internal/dnf"
	"github.com/pdprov/pdprov/internal/posixsh"
	"github.com/pdprov/pdprov/stages/stage"
)

// withDNF is the manager of RHEL and what is built from it, Fedora and Amazon Linux.
type withDNF struct{}

func (withDNF) look(name string, f stage.Facts) part {
	p := dnf.Look(name, f)
	return part{p.Version, p.State, p.Held}
}

func (withDNF) ready() stage.Step { return dnf.Ready() }
func (withDNF) lock() string      { return "dnf" }

// writes: RHEL's alternatives keep their books there; version locks are in dnf's folder.
func (withDNF) writes() []stage.Resource {
	return []stage.Resource{"path:/var/lib/alternatives", "path:/etc/dnf"}
}

// strangers: dnf remove would take along the toolkit that the metapackage brought.
func (withDNF) strangers() []stranger { return []stranger{floating("rpm -e")} }

func (withDNF) install(names, held []string) stage.Step {
	return unlocked("install", "install_newest", names, held)
}

func (withDNF) reinstall(names, held []string) stage.Step {
	return unlocked("reinstall", "reinstall", names, held)
}

// unlocked is a step without the version locks of the packages in held.
func unlocked(title, function string, names, held []string) stage.Step {
	lines := []string{"wait_for_locks"}
	if len(held) > 0 {
		lines = append(lines, posixsh.Words(append([]string{"unlock"}, held...)...))
	}
	lines = append(lines, posixsh.Words(append([]string{function}, names...)...))
	return dnf.Step(title+" "+strings.Join(names, " "), lines...)
}

func (withDNF) hold(names []string) stage.Step {
	return dnf.Step("lock the version of "+strings.Join(names, " "), "wait_for_locks",
		posixsh.Words(append([]string{"lock"}, names...)...))
}

func (withDNF) choose(version string) stage.Step {
	return setDefault("/usr/sbin/alternatives", version)
}
