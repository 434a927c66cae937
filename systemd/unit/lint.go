package unit

import (
	"fmt"
	"strings"
)

// Lint says what a parsed file lacks to be a unit of the type that its name says:
// sections that systemd does not know there, and what makes it refuse to load the unit.
func Lint(name string, f File) []Problem {
	if len(f.Sections) == 0 {
		return []Problem{{Text: "The file has no [Section] at all; systemd takes an empty unit file for a mask.", Refused: true}}
	}
	own := strings.TrimPrefix(Suffix(name), ".")
	if own != "" {
		own = strings.ToUpper(own[:1]) + own[1:]
	}
	found := unknownSections(f, own)
	switch own {
	case "Service":
		return append(found, lintService(f)...)
	case "Socket":
		return append(found, needs(f, own, "something to listen on, as ListenStream=", "Listen")...)
	case "Timer":
		return append(found, needs(f, own, "a time, as OnCalendar= or OnUnitActiveSec=", "On")...)
	case "Path":
		return append(found, needs(f, own, "a path to watch, as PathChanged=", "PathExists", "PathChanged", "PathModified", "DirectoryNotEmpty")...)
	case "Mount", "Swap":
		return append(found, needs(f, own, "What=", "What")...)
	case "Automount":
		return append(found, needs(f, own, "Where=", "Where")...)
	}
	return found
}

func unknownSections(f File, own string) []Problem {
	var found []Problem
	for _, s := range f.Sections {
		if s.Name != "Unit" && s.Name != "Install" && s.Name != own && !strings.HasPrefix(s.Name, "X-") {
			found = append(found, Problem{Line: s.Line, Text: fmt.Sprintf("systemd knows no section [%s] in this type of unit and ignores it; there are [Unit], [%s] and [Install].", s.Name, own)})
		}
	}
	return found
}

// needs asks for a key with one of some beginnings.
func needs(f File, section, what string, prefixes ...string) []Problem {
	for at := range settings(f) {
		for _, p := range prefixes {
			if at.section == section && strings.HasPrefix(at.key, p) {
				return nil
			}
		}
	}
	return []Problem{{line(f, section), "The [" + section + "] section lacks " + what + "; systemd refuses such a unit.", true}}
}

// lintService follows service_verify of systemd 252.
func lintService(f File) []Problem {
	get := func(key string) string { return f.Get("Service", key) }
	starts, oneshot := len(f.All("Service", "ExecStart")), get("Type") == "oneshot"
	refuse := func(text string) []Problem {
		return []Problem{{line(f, "Service"), text + " systemd refuses such a unit.", true}}
	}
	switch {
	case starts == 0 && len(f.All("Service", "ExecStop")) == 0 && !f.isSet("Unit", "SuccessAction"):
		return refuse("The service has no ExecStart=.")
	case starts == 0 && !oneshot && get("Type") != "":
		return refuse("A service without ExecStart= must have Type=oneshot.")
	case starts == 0 && !Bool(get("RemainAfterExit")) && !f.isSet("Unit", "SuccessAction"):
		return refuse("A service without ExecStart= must have RemainAfterExit=yes.")
	case starts > 1 && !oneshot:
		return refuse("Only a service with Type=oneshot may have more than one ExecStart=.")
	case oneshot && (get("Restart") == "always" || get("Restart") == "on-success"):
		return refuse("A service with Type=oneshot cannot have Restart=" + get("Restart") + ".")
	case get("Type") == "dbus" && get("BusName") == "":
		return refuse("A service with Type=dbus needs BusName=.")
	}
	return nil
}

func (f File) isSet(section, key string) bool {
	v := f.Get(section, key)
	return v != "" && v != "none"
}

// line is where a section begins; 0 when there is none.
func line(f File, section string) int {
	for _, s := range f.Sections {
		if s.Name == section {
			return s.Line
		}
	}
	return 0
}
