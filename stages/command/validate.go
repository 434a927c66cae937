package command

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/pdprov/pdprov/stages/stage"
)

var envName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

const longestTimeout = 7 * 24 * time.Hour

// Validate refuses what could only fail on the host.
func (Kind) Validate(in stage.Instance) []stage.Finding {
	c := in.Config
	var findings []stage.Finding
	for _, name := range []string{"check", "apply"} {
		if strings.TrimSpace(c.Text(name)) == "" {
			findings = append(findings, stage.Finding{Path: name, Summary: "Empty command", Detail: name + " holds no command. An empty one would always succeed."})
		}
	}
	for _, name := range []string{"check", "dir"} {
		if c.Secret[name] {
			findings = append(findings, stage.Finding{
				Path: name, Summary: "Secret in a command line",
				Detail: "A sensitive value went into " + name + ", which other users of the host could see. Pass it through env and write \"$NAME\" in the text.",
			})
		}
	}
	if !strings.HasPrefix(c.Text("dir"), "/") {
		findings = append(findings, stage.Finding{Path: "dir", Summary: "Not an absolute path", Detail: fmt.Sprintf("dir is %q; it must start with a slash.", c.Text("dir"))})
	}
	findings = append(findings, checkDuration(c, "timeout")...)
	findings = append(findings, checkDuration(c, "check_timeout")...)
	return append(findings, checkEnv(c.Map("env"))...)
}

func checkDuration(c stage.Config, name string) []stage.Finding {
	d, err := time.ParseDuration(c.Text(name))
	if err == nil && d > 0 && d <= longestTimeout {
		return nil
	}
	return []stage.Finding{{
		Path: name, Summary: "Not a duration",
		Detail: fmt.Sprintf(`%s is %q; write a number and a unit, such as "90s", "10m" or "2h", up to 168h.`, name, c.Text(name)),
	}}
}

func checkEnv(env map[string]string) []stage.Finding {
	var findings []stage.Finding
	var names []string
	for name := range env {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if !envName.MatchString(name) || strings.HasPrefix(name, "PDPROV_") {
			findings = append(findings, stage.Finding{
				Path: fmt.Sprintf("env[%q]", name), Summary: "Not the name of a variable",
				Detail: fmt.Sprintf("%q cannot be exported: letters, digits and underscores, no digit first, and not PDPROV_, which pdprov uses itself.", name),
			})
		}
	}
	return findings
}
