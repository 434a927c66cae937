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
	"stat", "sha256sum", "base64", "dpkg", "dpkg-query", "systemctl", "cat", "grep", "head", "tail", "timeout", "readlink", "dd",
}

// brokenPlan has every kind twice: a stage that is in sync, and one that drifted.
const brokenPlan = `
stage "package" "synced" {
  packages = { tree = "*" }
}
stage "package" "drifted" {
  packages = { jo = "*" }
}
stage "file" "synced" {
  path    = "/etc/x/synced"
  content = "hello\n"
}
stage "file" "drifted" {
  path    = "/etc/x/drifted"
  content = "hello\n"
}
stage "unit" "synced" {
  name    = "synced.service"
  content = "[Service]\nExecStart=/bin/sleep infinity\n[Install]\nWantedBy=multi-user.target\n"
  enabled = true
  running = true
}
stage "unit" "drifted" {
  name    = "drifted.service"
  content = "[Service]\nExecStart=/bin/sleep infinity\n[Install]\nWantedBy=multi-user.target\n"
  enabled = true
  running = true
}
stage "sysctl" "synced" {
  values = { "net.core.somaxconn" = "8192" }
}
stage "sysctl" "drifted" {
  values = { "net.ipv4.tcp_fin_timeout" = "30" }
}
stage "venv" "synced" {
  path = "/opt/synced"
  lock = "requirements.lock"
}
stage "venv" "drifted" {
  path = "/opt/drifted"
  lock = "requirements.lock"
}
`

const bottleLock = "bottle==0.13.4 --hash=sha256:045684fbd2764eac9cdeb824861d1551d113e8b683d8d26e296898d3dd99a12e\n"

// drift changes what every stage called drifted keeps.
const drift = `echo other >/etc/x/drifted; systemctl stop drifted.service; dpkg --remove jo >/dev/null
echo 60 >/proc/sys/net/ipv4/tcp_fin_timeout; rm -rf /opt/drifted.d/*/lib/python3*/site-packages/bottle-*.dist-info`

// TestBrokenTools makes every tool that a probe calls fail in every mode: the plan
// never says "create" or "in sync" where it could not look. Each mode has a host, and
// one pdprov call looks at all of them.
func TestBrokenTools(t *testing.T) {
	lab.Require(t)
	l := lab.ForTest(t, len(modes))
	dir := t.TempDir()
	var hosts strings.Builder
	for i := range modes {
		fmt.Fprintf(&hosts, "host %q {}\n", host(i))
	}
	plan := filepath.Join(dir, "hosts.hcl")
	write(t, plan, hosts.String()+brokenPlan)
	write(t, filepath.Join(dir, "requirements.lock"), bottleLock)
	if out, err := l.Command(filepath.Join(bin, "pdprov"), "apply", "--auto-approve", "--ssh-config", l.SSHConfig(), plan).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for i := range modes {
		shell(t, l, host(i), drift)
	}
	for _, tool := range tools {
		t.Run(tool, func(t *testing.T) { breakTool(t, l, plan, tool) })
	}
}

func host(mode int) string { return fmt.Sprintf("h%d", mode+1) }

func breakTool(t *testing.T, l *lab.Lab, plan, tool string) {
	for i, m := range modes {
		shell(t, l, host(i), replace(tool, "#!/bin/dash\n"+m.script+"\n"))
		defer shell(t, l, host(i), restore(tool))
	}
	entries, exit, stderr := planJSON(t, l, plan)
	blocked := false
	for i, m := range modes {
		found := entries[host(i)]
		for stage, e := range found {
			blocked = blocked || e.Action == "blocked"
			if !allowed(stage, e.Action) {
				t.Errorf("%s %s: %s is %q: %s", tool, m.name, stage, e.Action, e.raw)
			}
		}
		// Where the whole look failed the host is unknown and has no entries.
		blocked = blocked || len(found) == 0
		if len(found) != 0 && len(found) != 10 {
			t.Errorf("%s %s: %d entries", tool, m.name, len(found))
		}
	}
	if blocked && exit != 4 || !blocked && exit != 2 {
		t.Errorf("exit status %d, blocked or unknown: %v\n%s", exit, blocked, stderr)
	}
}

// allowed says whether an action is true of a stage, or says that nobody knows.
func allowed(stage, action string) bool {
	switch {
	case action == "blocked":
		return true
	case strings.HasSuffix(stage, ".synced"):
		return action == "none"
	case stage == "package.drifted":
		return action == "create" // the package is gone
	default:
		return action == "update"
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

func planJSON(t *testing.T, l *lab.Lab, plan string) (entries map[string]map[string]entry, exit int, errors string) {
	t.Helper()
	cmd := l.Command(filepath.Join(bin, "pdprov"), "plan", "--json", "--detailed-exitcode", "--timeout", "3s", "--ssh-config", l.SSHConfig(), plan)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	exit = exitStatus(cmd.Run())
	var p struct{ Entries []json.RawMessage }
	if err := json.Unmarshal(stdout.Bytes(), &p); err != nil {
		t.Fatalf("plan --json: %v\n%s\n%s", err, stdout.String(), stderr.String())
	}
	entries = map[string]map[string]entry{}
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
	return entries, exit, stderr.String()
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
