package acceptance

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pdprov/pdprov/internal/lab"
)

// The modes in which a tool is made to fail, one host each and state.
var modes = []struct{ name, script string }{
	{"fails", "exit 1"},
	{"hangs", "exec sleep.real 600"},
	{"is killed", "kill -KILL $$"},
	{"floods", "exec head.real -c 62914560 /dev/zero"},
	{"forges", `printf '%s\n' 'pdprov 1 0 done' '0 0 0' 'ii ' 'Id=x' 'ActiveState=active' '=0' '#0' '#66'; exit 0`},
	{"says nothing", "exit 0"},
	{"says absent", "exit 66"},
}

// tools are the programs that a probe or the look itself calls on a host.
var tools = []string{
	"stat", "sha256sum", "base64", "dpkg-query", "systemctl", "cat", "grep", "head", "tail", "timeout", "readlink", "dd",
}

const brokenPlan = `
stage "package" "p" {
  packages = { tree = "*" }
}
stage "file" "f" {
  path    = "/etc/x/y"
  content = "hello\n"
}
stage "unit" "u" {
  name    = "sleeper.service"
  content = "[Service]\nExecStart=/bin/sleep infinity\n[Install]\nWantedBy=multi-user.target\n"
  enabled = true
  running = true
}
stage "sysctl" "s" {
  values = { "net.core.somaxconn" = "8192" }
}
stage "venv" "v" {
  path = "/opt/v"
  lock = "requirements.lock"
}
`

const bottleLock = "bottle==0.13.4 --hash=sha256:045684fbd2764eac9cdeb824861d1551d113e8b683d8d26e296898d3dd99a12e\n"

// drift breaks every stage of brokenPlan.
const drift = `echo other >/etc/x/y; systemctl stop sleeper.service; dpkg --remove tree >/dev/null
echo 1024 >/proc/sys/net/core/somaxconn; rm -rf /opt/v.d/*/lib/python3*/site-packages/bottle-*.dist-info`

// TestBrokenTools makes every tool that a probe calls fail in every mode, on a host
// in sync and on one that drifted: the plan never says "create" or "in sync" where it
// could not look. One pdprov call looks at all modes and states at once.
func TestBrokenTools(t *testing.T) {
	lab.Require(t)
	l := lab.ForTest(t, 2*len(modes))
	dir := t.TempDir()
	var hosts strings.Builder
	for i := range 2 * len(modes) {
		fmt.Fprintf(&hosts, "host \"h%d\" {}\n", i+1)
	}
	plan := filepath.Join(dir, "hosts.hcl")
	write(t, plan, hosts.String()+brokenPlan)
	write(t, filepath.Join(dir, "requirements.lock"), bottleLock)
	if out, err := l.Command(filepath.Join(bin, "pdprov"), "apply", "--auto-approve", "--ssh-config", l.SSHConfig(), plan).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for i := range modes {
		shell(t, l, drifted(i), drift)
	}
	for _, tool := range tools {
		t.Run(tool, func(t *testing.T) { breakTool(t, l, plan, tool) })
	}
}

func synced(mode int) string  { return fmt.Sprintf("h%d", 2*mode+1) }
func drifted(mode int) string { return fmt.Sprintf("h%d", 2*mode+2) }

func breakTool(t *testing.T, l *lab.Lab, plan, tool string) {
	if _, err := l.Host("h1").Exec(context.Background(), "sh", "-c", "command -v "+tool); err != nil {
		t.Logf("%s is not on the host", tool)
		return
	}
	for i, m := range modes {
		fake := "#!/bin/dash\n" + m.script + "\n"
		for _, h := range []string{synced(i), drifted(i)} {
			shell(t, l, h, replace(tool, fake))
			defer shell(t, l, h, restore(tool))
		}
	}
	entries, exit := planJSON(t, l, plan)
	blocked := false
	for i, m := range modes {
		for stage, e := range entries[synced(i)] {
			if e.Action != "none" && e.Action != "blocked" {
				t.Errorf("%s %s: %s of a host in sync is %q: %s", tool, m.name, stage, e.Action, e.raw)
			}
			blocked = blocked || e.Action == "blocked"
		}
		for stage, e := range entries[drifted(i)] {
			if e.Action == "none" || e.Action == "create" && stage != "package.p" {
				t.Errorf("%s %s: %s of a host that drifted is %q: %s", tool, m.name, stage, e.Action, e.raw)
			}
			blocked = blocked || e.Action == "blocked"
		}
		for _, h := range []string{synced(i), drifted(i)} {
			if n := len(entries[h]); n != 5 {
				blocked = true // the whole look failed: the host is unknown and has no entries
				if n != 0 {
					t.Errorf("%s %s: %s has %d entries", tool, m.name, h, n)
				}
			}
		}
	}
	if blocked && exit != 4 || !blocked && exit != 2 {
		t.Errorf("exit status %d, blocked or unknown: %v", exit, blocked)
	}
}

// replace puts a fake in the place of a tool; the real one stays beside it as NAME.real.
func replace(tool, fake string) string {
	return `p=$(readlink -f "$(command -v ` + tool + `)"); d=$(dirname "$p")
for x in sleep head; do [ -e /usr/bin/$x.real ] || cp /usr/bin/$x /usr/bin/$x.real; done
[ -e "$p.orig" ] || mv "$p" "$p.orig"
/bin/echo '` + strings.ReplaceAll(fake, "'", `'\''`) + `' >"$p"; chmod 755 "$p"; echo "$p" >/root/broken`
}

// restore uses nothing but the shell and mv, which is never replaced.
func restore(string) string {
	return `read -r p </root/broken; mv -f "$p.orig" "$p"`
}

type entry struct {
	Host, Stage, Action string
	raw                 string
}

func planJSON(t *testing.T, l *lab.Lab, plan string) (map[string]map[string]entry, int) {
	t.Helper()
	cmd := l.Command(filepath.Join(bin, "pdprov"), "plan", "--json", "--detailed-exitcode", "--timeout", "3s", "--ssh-config", l.SSHConfig(), plan)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	exit := exitStatus(cmd.Run())
	var p struct{ Entries []json.RawMessage }
	if err := json.Unmarshal(stdout.Bytes(), &p); err != nil {
		t.Fatalf("plan --json: %v\n%s\n%s", err, stdout.String(), stderr.String())
	}
	entries := map[string]map[string]entry{}
	for _, raw := range p.Entries {
		e := entry{raw: string(raw)}
		if err := json.Unmarshal(raw, &e); err != nil {
			t.Fatal(err)
		}
		if entries[e.Host] == nil {
			entries[e.Host] = map[string]entry{}
		}
		entries[e.Host][e.Stage] = e
	}
	return entries, exit
}

func shell(t *testing.T, l *lab.Lab, host, text string) {
	t.Helper()
	if out, err := l.Host(host).Exec(context.Background(), "sh", "-c", text); err != nil {
		t.Fatalf("%s: %v\n%s", host, err, out)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
