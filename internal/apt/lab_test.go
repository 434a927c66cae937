package apt_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/pdprov/pdprov/internal/apt"
	"github.com/pdprov/pdprov/internal/lab"
	"github.com/pdprov/pdprov/remote/probe"
	"github.com/pdprov/pdprov/remote/ssh"
)

// TestOriginOnAHost lets the host's own apt, sudo and dpkg write the logs.
func TestOriginOnAHost(t *testing.T) {
	l := lab.ForTest(t, 1)
	box := l.Host("h1")
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	sh := func(text string) {
		t.Helper()
		if out, err := box.Exec(ctx, "/bin/sh", "-euc", text); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	sh(`useradd -m alice; echo 'alice ALL=(ALL) NOPASSWD: ALL' >/etc/sudoers.d/alice
apt-get -q update
apt-get -y -q install jo
su alice -c 'sudo apt-get -y -q -o DPkg::Lock::Timeout=60 install jq'
cd /tmp; apt-get -q download tree; dpkg -i tree_*.deb
apt-get -y -q install bc; apt-get -y -q purge bc
mkdir -p /var/log/apt; gzip -c /var/log/apt/history.log >/var/log/apt/history.log.1.gz; mv /var/log/dpkg.log /var/log/dpkg.log.1; : >/var/log/apt/history.log
apt-get -y -q --reinstall install jo`)
	d := ssh.NewDialer(ssh.Options{ConfigFile: l.SSHConfig(), DialContext: l.DialContext})
	h, err := d.Dial(ctx, ssh.Target{Name: "h1", Address: "h1"})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	names := []string{"jo", "jq", "libjq1", "tree", "bc"}
	facts, err := probe.Look(ctx, h, append(apt.Probes(names...), apt.Patterns("libjq*")...), probe.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"jo":     "apt-get install jo on ",
		"jq":     "apt-get install jq (alice) on ",
		"libjq1": "apt-get install jq (alice) on ",
		"tree":   "dpkg on ",
		"bc":     "apt-get purge bc on ",
	} {
		if by := apt.Look(name, facts).Version.By; !strings.HasPrefix(by, want+time.Now().UTC().Format("2006-")) {
			t.Errorf("%s: %q", name, by)
		}
	}
	list, unknown, ok := apt.Match("libjq*", facts)
	if !ok || len(list) != 1 || !strings.HasPrefix(list[0].Version.By, "apt-get install jq (alice) on ") {
		t.Errorf("%+v %v", list, unknown)
	}
}
