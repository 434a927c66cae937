// Package sysctl is the kind "sysctl": kernel settings, as they are now, in a file of
// their own, and as they will be after the next boot.
package sysctl

import (
	"fmt"
	"strings"

	"github.com/pdprov/pdprov/stages/stage"
)

// Kind is the kind "sysctl".
type Kind struct{}

// Name is the word after `stage` in a plan file.
func (Kind) Name() string { return "sysctl" }

// Summary is one sentence for people.
func (Kind) Summary() string {
	return "Kernel settings: the running value, the file that keeps it, and the value after the next boot."
}

// Schema lists the attributes of a block.
func (Kind) Schema() []stage.Attr {
	return []stage.Attr{
		{Name: "values", Type: stage.StringMap, Required: true, Secrets: true, Doc: "Key to value. Keys as sysctl(8) reads them: the first separator decides (\"net.ipv4.conf.eth0/1.forwarding\", \"net/ipv4/conf/eth0.1/forwarding\"). Values are compared with runs of spaces and tabs taken as one space."},
	}
}

// Paths of the surface: KEY.running, KEY.file, KEY.boot, and othersPath for what
// else stands in the stage's own file and would still be set at boot.
const (
	runningPath = ".running"
	filePath    = ".file"
	bootPath    = ".boot"
	othersPath  = "file.others"
)

// Probes asks the kernel for every key, and for all settings that boot would read.
func (Kind) Probes(in stage.Instance) []stage.Probe {
	probes := []stage.Probe{bootProbe()}
	for _, k := range keysOf(in.Config) {
		probes = append(probes, runningProbe(k))
	}
	return probes
}

// Want is the same value at all three places.
func (Kind) Want(in stage.Instance, f stage.Facts) (stage.Surface, []stage.Finding) {
	s := stage.Surface{othersPath: stage.Nothing()}
	for _, k := range keysOf(in.Config) {
		v := stage.Is(k.value)
		s[k.name+runningPath], s[k.name+filePath], s[k.name+bootPath] = v, v, v
	}
	return s, sysctlConfWarnings(in, f)
}

// Have is what the kernel and the files say.
func (Kind) Have(in stage.Instance, f stage.Facts) stage.Surface {
	s := stage.Surface{}
	boot, unknown := bootOf(f)
	own := fileName(in.Addr)
	for _, k := range keysOf(in.Config) {
		s[k.name+runningPath] = running(k, f)
		if boot == nil {
			s[k.name+filePath], s[k.name+bootPath] = unknown, unknown
			continue
		}
		s[k.name+filePath] = boot.in(own, k.proc).seen()
		s[k.name+bootPath] = boot.winner(k.proc).seen()
	}
	s[othersPath] = unknown
	if boot != nil {
		s[othersPath] = others(boot, own, keysOf(in.Config))
	}
	return s
}

// others lists the settings of the stage's file that the plan does not name.
func others(boot *bootFiles, own string, keys []key) stage.Value {
	wanted := map[string]bool{}
	for _, k := range keys {
		wanted[k.proc] = true
	}
	var found []string
	for _, s := range boot.settings(own) {
		if !wanted[s.key] || s.glob {
			found = append(found, s.key+" = "+s.value)
		}
	}
	if len(found) == 0 {
		return stage.Nothing()
	}
	return stage.Is(strings.Join(found, "; "))
}

// sysctlConfWarnings: boot (systemd-sysctl) does not read /etc/sysctl.conf but through
// a link in /etc/sysctl.d, while `sysctl --system` and `sysctl -p` read it last.
func sysctlConfWarnings(in stage.Instance, f stage.Facts) []stage.Finding {
	boot, _ := bootOf(f)
	if boot == nil {
		return nil
	}
	var findings []stage.Finding
	for _, k := range keysOf(in.Config) {
		if s := boot.in(sysctlConf, k.proc); s != nil && s.value != k.value {
			findings = append(findings, stage.Finding{
				Severity: stage.Warning, Path: k.path(), Summary: "Another value in /etc/sysctl.conf",
				Detail: fmt.Sprintf("%s sets %s to %q. The next boot keeps the value of this stage, but `sysctl --system` and `sysctl -p` would set that one; remove the line.", s.at(), k.name, s.value),
			})
		}
	}
	return findings
}
