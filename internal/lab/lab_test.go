package lab_test

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pdprov/pdprov/internal/lab"
	"github.com/pdprov/pdprov/internal/lab/baseroot"
)

// limited is long enough for the slowest step of a test, not a measure of it.
func limited(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// ssh runs a command over real ssh and returns all its output.
func ssh(t *testing.T, l *lab.Lab, words ...string) (string, error) {
	t.Helper()
	args := append([]string{"-F", l.SSHConfig(), "-o", "BatchMode=yes", "-o", "ConnectTimeout=10"}, words...)
	out, err := l.CommandContext(limited(t), "ssh", args...).CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

func mustSSH(t *testing.T, l *lab.Lab, words ...string) string {
	t.Helper()
	out, err := ssh(t, l, words...)
	if err != nil {
		t.Fatalf("ssh %q: %v: %s", words, err, out)
	}
	return out
}

func mustExec(t *testing.T, h *lab.Host, words ...string) string {
	t.Helper()
	out, err := h.Exec(limited(t), words...)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// needArchives skips when the package archives cannot be reached at all.
func needArchives(t *testing.T) {
	t.Helper()
	client := &http.Client{Timeout: 20 * time.Second}
	answer, err := client.Get(baseroot.Mirror() + "/dists/")
	if err == nil {
		answer.Body.Close()
		return
	}
	if os.Getenv("PDPROV_REQUIRE_LAB") == "1" {
		t.Fatalf("PDPROV_REQUIRE_LAB=1, but the package archives are out of reach: %v", err)
	}
	t.Skipf("the package archives are out of reach: %v", err)
}

func TestHosts(t *testing.T) {
	l := lab.ForTest(t, 2)
	t.Run("systemd is well", func(t *testing.T) {
		for _, h := range l.Hosts() {
			state, err := h.Exec(limited(t), "systemctl", "is-system-running", "--wait")
			if got := strings.TrimSpace(string(state)); got != "running" {
				t.Errorf("%s is %q (%v): %s", h.Name, got, err, mustExec(t, h, "systemctl", "--failed"))
			}
		}
	})
	t.Run("names and neighbours", func(t *testing.T) {
		if got := mustSSH(t, l, "h2", "hostname"); got != "h2" {
			t.Errorf("hostname %q", got)
		}
		mustExec(t, l.Host("h1"), "bash", "-c", "exec 3<>/dev/tcp/h2/22")
	})
	t.Run("exit status and streams", func(t *testing.T) { testExec(t, l.Host("h1")) })
	t.Run("packages", func(t *testing.T) { testPackages(t, l) })
	t.Run("users", func(t *testing.T) { testUsers(t, l) })
	t.Run("dial", func(t *testing.T) { testDial(t, l) })
	t.Run("another lab beside it", func(t *testing.T) {
		other := lab.ForTest(t, 1)
		if a, b := mustExec(t, l.Host("h1"), "cat", "/etc/machine-id"), mustExec(t, other.Host("h1"), "cat", "/etc/machine-id"); a == b {
			t.Errorf("both labs have the same h1, %s", a)
		}
	})
	t.Run("reboot", func(t *testing.T) { testReboot(t, l.Host("h1")) })
	t.Run("no sshd", func(t *testing.T) { testNoSSH(t, l.Host("h1")) })
	t.Run("power", func(t *testing.T) { testPower(t, l) })
	t.Run("cut", func(t *testing.T) { testCut(t, l) })
	t.Run("delay", func(t *testing.T) { testDelay(t, l) })
	t.Run("reimage", func(t *testing.T) { testReimage(t, l) })
}

func testExec(t *testing.T, h *lab.Host) {
	out, err := h.ExecInput(limited(t), "in\n", "sh", "-c", "cat; echo no >&2; exit 7")
	var status *exec.ExitError
	if !errors.As(err, &status) || status.ExitCode() != 7 || string(out) != "in\n" || !strings.HasSuffix(err.Error(), ": no") {
		t.Errorf("%q, %v", out, err)
	}
	if _, err := h.Exec(limited(t), "true"); err != nil {
		t.Error(err)
	}
}

func testPackages(t *testing.T, l *lab.Lab) {
	needArchives(t)
	mustSSH(t, l, "h1", "apt-get -q update && apt-get -qy install hello && hello")
	mustSSH(t, l, "h1", "python3 -m venv /root/v && /root/v/bin/pip download -d /root/w iniconfig && ls /root/w/iniconfig-*.whl")
	// A unit sees no login environment.
	mustSSH(t, l, "h2", "systemd-run --quiet --wait --pipe /usr/bin/pip download -d /root/w iniconfig")
}

func testUsers(t *testing.T, l *lab.Lab) {
	h, ctx := l.Host("h2"), limited(t)
	const password = `p w'"\$é`
	for _, u := range []lab.User{
		{Name: "plain"},
		{Name: "free", Shell: "/usr/bin/fish", Sudo: lab.FreeSudo},
		{Name: "asks", Shell: "/usr/bin/tcsh", Sudo: lab.PasswordSudo, Password: password},
	} {
		if err := h.AddUser(ctx, u); err != nil {
			t.Fatal(err)
		}
		if got := mustSSH(t, l, u.Name+"@h2", "whoami"); got != u.Name {
			t.Errorf("%s is %q", u.Name, got)
		}
	}
	if got := mustSSH(t, l, "free@h2", "sudo -n whoami"); got != "root" {
		t.Errorf("sudo without password: %q", got)
	}
	for _, name := range []string{"plain", "asks"} {
		if out, err := ssh(t, l, name+"@h2", "sudo -n true"); err == nil {
			t.Errorf("%s needs no password: %s", name, out)
		}
	}
	sudo := l.CommandContext(ctx, "ssh", "-F", l.SSHConfig(), "asks@h2", "sudo -S -p '' whoami")
	sudo.Stdin = strings.NewReader(password + "\n")
	if out, err := sudo.Output(); string(bytes.TrimSpace(out)) != "root" {
		t.Errorf("sudo with password: %q, %v", out, err)
	}
}

func testDial(t *testing.T, l *lab.Lab) {
	before, err := os.Readlink("/proc/self/ns/net")
	if err != nil {
		t.Fatal(err)
	}
	for _, address := range []string{"h1:22", "10.77.0.12:22"} {
		conn, err := l.DialContext(limited(t), "tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		conn.Close()
	}
	if _, err := l.DialContext(limited(t), "tcp", "example.com:22"); err == nil {
		t.Error("a name that needs DNS was dialed")
	}
	threads, err := filepath.Glob("/proc/self/task/*/ns/net")
	if err != nil || len(threads) == 0 {
		t.Fatalf("no threads: %v", err)
	}
	for _, path := range threads {
		if after, err := os.Readlink(path); err == nil && after != before {
			t.Errorf("%s stayed in the lab's network", path)
		}
	}
}
