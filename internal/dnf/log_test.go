package dnf

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pdprov/pdprov/internal/posixsh"
	"github.com/pdprov/pdprov/stages/stage"
	"github.com/pdprov/pdprov/stages/stagetest"
)

// rpmLog and dnfLog are recorded with dnf 4.14.0, without the lines about timers, with more
// time between the runs: an install, an upgrade by dnf-automatic, a removal.
const rpmLog = `2026-12-03T06:37:37+0000 INFO --- logging initialized ---
2026-12-03T06:37:37+0000 SUBDEBUG Installed: tool-1-1.noarch
2026-12-03T06:48:31+0000 INFO --- logging initialized ---
2026-12-03T06:48:31+0000 SUBDEBUG Upgrade: tool-2-1.noarch
2026-12-03T06:48:32+0000 SUBDEBUG Upgraded: tool-1-1.noarch
`

const installRun = `2026-12-03T06:37:37+0000 INFO --- logging initialized ---
2026-12-03T06:37:37+0000 DEBUG DNF version: 4.14.0
2026-12-03T06:37:37+0000 DDEBUG Command: dnf --releasever=9 --disableplugin=local -y -q install tool-1-1 --nogpgcheck 
2026-12-03T06:37:37+0000 DDEBUG Installroot: /
2026-12-03T06:37:37+0000 DDEBUG Base command: install
2026-12-03T06:37:37+0000 INFO ================================================================================
 Package           Architecture        Version             Repository      Size
================================================================================
Installing:
 tool              noarch              1-1                 a              5.4 k

2026-12-03T06:37:37+0000 DDEBUG RPM transaction start.
2026-12-03T06:37:37+0000 DDEBUG RPM transaction over.
2026-12-03T06:37:37+0000 DEBUG Installed: tool-1-1.noarch
2026-12-03T06:37:37+0000 INFO Complete!
2026-12-03T06:37:37+0000 DDEBUG Cleaning up.
`

const automaticRun = `2026-12-03T06:48:31+0000 INFO --- logging initialized ---
2026-12-03T06:48:31+0000 DEBUG Started dnf-automatic.
2026-12-03T06:48:32+0000 DDEBUG RPM transaction start.
2026-12-03T06:48:32+0000 DDEBUG RPM transaction over.
2026-12-03T06:48:32+0000 DEBUG Upgraded: tool-2-1.noarch
2026-12-03T06:48:32+0000 DDEBUG Cleaning up.
`

const removalLine = "2026-12-04T08:00:05+0000 SUBDEBUG Erase: tool-2-1.noarch\n"

const removalRun = `2026-12-04T08:00:00+0000 INFO --- logging initialized ---
2026-12-04T08:00:00+0000 DDEBUG Command: dnf --setopt proxy=http://u:hunter2@proxy remove tool 
2026-12-04T08:00:06+0000 DEBUG Removed: tool-2-1.noarch
2026-12-04T08:00:06+0000 DDEBUG Cleaning up.
`

const openRun = `2026-12-03T06:30:00+0000 INFO --- logging initialized ---
2026-12-03T06:30:00+0000 DDEBUG Command: dnf list 
`

// Who brought a version, or took it away, is told where dnf's log tells it beyond doubt.
func TestWho(t *testing.T) {
	for name, c := range map[string]struct{ rpm, dnf, installed, want string }{
		"install":       {rpmLog[:strings.Index(rpmLog, "2026-12-03T06:48")], installRun, "1", "dnf install tool-1-1 on 2026-12-03 06:37"},
		"automatic":     {rpmLog, installRun + automaticRun, "2", "dnf-automatic on 2026-12-03 06:48"},
		"removal":       {rpmLog + removalLine, installRun + automaticRun + removalRun, "", "dnf remove tool on 2026-12-04 08:00"},
		"two at once":   {rpmLog, openRun + automaticRun, "2", "dnf on 2026-12-03 06:48"},
		"after a kill":  {rpmLog + removalLine, openRun + automaticRun + removalRun, "", "dnf remove tool on 2026-12-04 08:00"},
		"without it":    {rpmLog, "", "2", "dnf on 2026-12-03 06:48"},
		"only earlier":  {rpmLog, strings.ReplaceAll(automaticRun, "2026-12-03", "2026-12-01"), "2", "dnf on 2026-12-03 06:48"},
		"by rpm":        {"", "", "2", "rpm on 2025-11-30 06:12"},
		"came again":    {rpmLog + removalLine + strings.ReplaceAll(removalLine, "Erase", "Installed"), removalRun, "", ""},
		"another zone":  {rpmLog, strings.ReplaceAll(strings.ReplaceAll(automaticRun, "T06:", "T07:"), "+0000", "+0100"), "2", "dnf-automatic on 2026-12-03 06:48"},
		"of RHEL 8":     {strings.ReplaceAll(rpmLog, "+0000", "Z"), strings.ReplaceAll(automaticRun, "+0000", "Z"), "2", "dnf-automatic on 2026-12-03 06:48"},
		"garbled":       {rpmLog, strings.ReplaceAll(automaticRun, " DEBUG ", "\x00\xff"), "2", "dnf on 2026-12-03 06:48"},
		"another's log": {strings.ReplaceAll(rpmLog, "tool", "tool-kit"), strings.ReplaceAll(automaticRun, "tool", "tool-kit"), "", ""},
	} {
		dir := t.TempDir()
		for file, text := range map[string]string{"dnf.rpm.log": c.rpm, "dnf.log": c.dnf} {
			if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		stagetest.EachShell(t, func(t *testing.T, shell []string) {
			p := Probes("tool")[1]
			p.Script = strings.ReplaceAll(p.Script, "/var/log", posixsh.Quote(dir))
			f := stagetest.Look(t, shell, []stage.Probe{p})
			body := "asked\ttool\nall\t431\nexit\t0\n"
			if c.installed != "" {
				body = "row\ttool\t0\t" + c.installed + "\t1\tnoarch\t1764483121\n" + body
			}
			f[rpmID+"tool"] = stage.Answer{Outcome: stage.Answered, Body: []byte(body)}
			if v := Look("tool", f).Version; v.By != c.want || v.State == stage.Unknown {
				t.Errorf("%s: %q, want %q: %+v", name, v.By, c.want, v)
			}
		})
	}
}

func TestLogScriptIsGoodSh(t *testing.T) { stagetest.Lint(t, "log", logScript) }
