package dnf

import (
	"path"
	"strings"

	"github.com/pdprov/pdprov/internal/record"
	"github.com/pdprov/pdprov/stages/stage"
)

const pinsID = "dnf.pins"

// pinsScript shows the files in which dnf keeps version locks (dnf 4 and 5) and the
// module stream of the driver, and whether the locks bind: dnf 4 needs a plugin for that.
const pinsScript = record.Say + record.Show + `
for f in /usr/lib/python3*/*-packages/dnf-plugins/versionlock.py; do
  if [ -e "$f" ]; then say plugin ''; break; fi
done
if [ -e /usr/bin/dnf5 ]; then say dnf5 ''; fi
for f in /etc/dnf/plugins/versionlock.conf /etc/dnf/plugins/versionlock.list /etc/dnf/versionlock.toml /etc/dnf/modules.d/nvidia-driver.module; do
  if [ -e "$f" ]; then text=$(show "$f") || exit 1; say "${f##*/}" "$text"; fi
done
say end ''
`

func pinsProbe() stage.Probe {
	return stage.Probe{ID: pinsID, Script: pinsScript, Quick: true, Reads: []stage.Resource{"path:/etc/dnf"}}
}

// Lock is a version lock that binds. Version has neither epoch nor release and may be a
// pattern ("580.*"); it is "" where the lock is not on one version.
type Lock struct{ Name, Version, Text string }

// Locks are the version locks of a host; none where that is not known.
func Locks(f stage.Facts) []Lock { return readPins(f).locks }

// lockOf reads NAME-[EPOCH:]VERSION-RELEASE[.ARCH].
func lockOf(pattern string) Lock {
	l := Lock{Name: pattern, Text: pattern}
	release := strings.LastIndexByte(pattern, '-')
	if release < 0 {
		return l
	}
	if at := strings.LastIndexByte(pattern[:release], '-'); at > 0 {
		_, version, found := strings.Cut(pattern[at+1:release], ":")
		if !found {
			version = pattern[at+1 : release]
		}
		if version != "" && (version[0] == '*' || version[0] >= '0' && version[0] <= '9') {
			l.Name, l.Version = pattern[:at], version
		}
	}
	return l
}

// pins are what keeps versions on a host.
type pins struct {
	patterns []string // of version locks that bind: "nvidia-driver-3:580.95.05-1.el9.*"
	locks    []Lock
	stream   string // of the module nvidia-driver; "" when none is enabled
	unknown  *stage.Value
}

func readPins(f stage.Facts) pins {
	a := f.Get(pinsID)
	if !a.Looked() || a.Outcome == stage.Absent {
		v := a.Unknown(pinsID)
		return pins{unknown: &v}
	}
	fields := map[string]string{}
	items, err := record.Items(a.Body)
	if err != nil {
		return pins{unknown: &stage.Value{Reason: "what keeps dnf's versions could not be read: " + err.Error(), Probe: pinsID}}
	}
	for _, i := range items {
		fields[i.Name] = i.Data
	}
	p := pins{}
	_, five := fields["dnf5"]
	_, plugin := fields["plugin"]
	switch {
	case five:
		p.patterns, p.locks = tomlLocks(fields["versionlock.toml"])
	case plugin && ini(fields["versionlock.conf"])["enabled"] != "0":
		p.patterns = listLocks(fields["versionlock.list"])
		for _, pattern := range p.patterns {
			p.locks = append(p.locks, lockOf(pattern))
		}
	}
	if module := ini(fields["nvidia-driver.module"]); module["state"] == "enabled" {
		p.stream = module["stream"]
	}
	return p
}

// LocksKnown says whether it is known which versions are locked; if not, the value, Unknown,
// says why.
func LocksKnown(f stage.Facts) (unknown stage.Value, ok bool) {
	if p := readPins(f); p.unknown != nil {
		return *p.unknown, false
	}
	return stage.Value{}, true
}

// Stream is the enabled stream of the module nvidia-driver, or None.
func Stream(f stage.Facts) stage.Value {
	switch p := readPins(f); {
	case p.unknown != nil:
		return *p.unknown
	case p.stream == "":
		return stage.Nothing()
	default:
		return stage.Is(p.stream)
	}
}

// held is "yes" where a lock names this very version: one that only names the package
// or its branch lets other versions in.
func (p pins) held(r row) stage.Value {
	if p.unknown != nil {
		return *p.unknown
	}
	full := r.epoch + ":" + r.version + "-" + r.release
	for _, pattern := range p.patterns {
		if !strings.Contains(pattern, r.version) {
			continue
		}
		for _, form := range []string{full + "." + r.arch, full, r.evr() + "." + r.arch, r.evr()} {
			if fits, _ := path.Match(pattern, r.name+"-"+form); fits {
				return stage.Is("yes")
			}
		}
	}
	return stage.Is("no")
}

// listLocks reads versionlock.list; lines that begin with "!" keep a version out.
func listLocks(text string) (patterns []string) {
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		if line = strings.TrimSpace(line); line != "" && line[0] != '!' {
			patterns = append(patterns, line)
		}
	}
	return patterns
}

// tomlLocks reads the locks on one version in the file of dnf 5, in the form in which it
// writes it: a table for each package, with a table for each condition. A package with
// any other condition has a lock without a version.
func tomlLocks(text string) (patterns []string, locks []Lock) {
	for _, table := range strings.Split(text, "[[packages]]")[1:] {
		parts := strings.Split(table, "[[packages.conditions]]")
		name := ini(parts[0])["name"]
		c := ini(parts[len(parts)-1])
		if len(parts) != 2 || c["key"] != "evr" || c["comparator"] != "=" && c["comparator"] != "==" {
			locks = append(locks, Lock{Name: name, Text: name})
			continue
		}
		patterns = append(patterns, name+"-"+c["value"], name+"-0:"+c["value"])
		locks = append(locks, lockOf(name+"-"+c["value"]))
	}
	return patterns, locks
}

// ini reads lines NAME = VALUE, with or without quotes.
func ini(text string) map[string]string {
	fields := map[string]string{}
	for line := range strings.Lines(text) {
		if name, value, ok := strings.Cut(line, "="); ok {
			fields[strings.TrimSpace(name)] = strings.Trim(strings.TrimSpace(value), `"'`)
		}
	}
	return fields
}
