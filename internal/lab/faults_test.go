package lab_test

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/pdprov/pdprov/internal/lab"
)

func bootID(t *testing.T, h *lab.Host) string {
	t.Helper()
	return mustExec(t, h, "cat", "/proc/sys/kernel/random/boot_id")
}

func testReboot(t *testing.T, h *lab.Host) {
	before := bootID(t, h)
	mustExec(t, h, "touch", "/run/gone", "/var/kept")
	if err := h.Reboot(); err != nil {
		t.Fatal(err)
	}
	if after := bootID(t, h); after == before {
		t.Errorf("the boot id is still %s", after)
	}
	mustExec(t, h, "test", "!", "-e", "/run/gone")
	mustExec(t, h, "test", "-e", "/var/kept")
}

func testPower(t *testing.T, l *lab.Lab) {
	h := l.Host("h1")
	before := bootID(t, h)
	mustExec(t, h, "touch", "/var/kept-too")
	for range 2 { // the second time it is off already
		if err := h.PowerOff(); err != nil {
			t.Fatal(err)
		}
	}
	if s, err := h.Status(); err != nil || s.Running {
		t.Errorf("after power off: %+v, %v", s, err)
	}
	if _, err := h.Exec(limited(t), "true"); err == nil || !strings.Contains(err.Error(), "h1 is off") {
		t.Errorf("exec on a host that is off: %v", err)
	}
	if err := h.PowerOn(); err != nil {
		t.Fatal(err)
	}
	if err := h.PowerOn(); err == nil {
		t.Error("a host that is on was switched on")
	}
	if after := bootID(t, h); after == before {
		t.Errorf("the boot id is still %s", after)
	}
	mustExec(t, h, "test", "-e", "/var/kept-too")
	mustSSH(t, l, "h1", "true")
}

// testNoSSH: a host whose sshd does not come says so itself.
func testNoSSH(t *testing.T, h *lab.Host) {
	mustExec(t, h, "systemctl", "stop", "ssh")
	defer mustExec(t, h, "systemctl", "start", "ssh")
	short, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if err := h.WaitSSH(short); err == nil || !strings.Contains(err.Error(), "Active: inactive (dead)") {
		t.Errorf("waiting for a host without sshd: %v", err)
	}
}

// reachable tries once; the limit is what a cut link costs.
func reachable(t *testing.T, l *lab.Lab, address string) bool {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	conn, err := l.DialContext(ctx, "tcp", address)
	if err == nil {
		conn.Close()
	}
	return err == nil
}

// A cut holds over a reboot, for the host's neighbours as well as for the gateway.
func testCut(t *testing.T, l *lab.Lab) {
	h := l.Host("h1")
	if err := h.Cut(); err != nil {
		t.Fatal(err)
	}
	if reachable(t, l, "h1:22") {
		t.Error("a host with a cut link answers")
	}
	if err := h.Reboot(); err == nil || !strings.Contains(err.Error(), "its link is cut") {
		t.Errorf("waiting for a host with a cut link: %v", err)
	}
	if reachable(t, l, "h1:22") {
		t.Error("the reboot mended the link")
	}
	mustExec(t, l.Host("h2"), "sh", "-c", "! timeout 1 bash -c 'exec 3<>/dev/tcp/h1/22'")
	if err := h.Mend(); err != nil {
		t.Fatal(err)
	}
	if err := h.WaitSSH(limited(t)); err != nil {
		t.Fatal(err)
	}
}

// A connection takes one round trip and the greeting after it a second one.
func testDelay(t *testing.T, l *lab.Lab) {
	const asked = 80 * time.Millisecond
	h := l.Host("h2")
	if err := h.Delay(asked, 0); err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	conn, err := l.DialContext(limited(t), "tcp", "h2:22")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if took := time.Since(begin); took < asked {
		t.Errorf("connected in %v, sooner than the delay of %v", took, asked)
	}
	if _, err := conn.Read(make([]byte, 4)); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(begin); took < 2*asked {
		t.Errorf("greeted in %v, sooner than two delays of %v", took, asked)
	}
	if err := h.Delay(0, 100); err != nil {
		t.Fatal(err)
	}
	if reachable(t, l, "h2:22") {
		t.Error("a host that loses all packets answers")
	}
	if err := h.Delay(0, 0); err != nil {
		t.Fatal(err)
	}
	mustSSH(t, l, "h2", "true")
	if err := h.Delay(-1, 0); err == nil {
		t.Error("a negative delay was taken")
	}
}

func testReimage(t *testing.T, l *lab.Lab) {
	h := l.Host("h2")
	mustExec(t, h, "touch", "/var/gone")
	known, err := os.ReadFile(l.KnownHosts())
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Reimage(); err != nil {
		t.Fatal(err)
	}
	mustExec(t, h, "test", "!", "-e", "/var/gone")
	if after, err := os.ReadFile(l.KnownHosts()); err != nil || string(after) != string(known) {
		t.Errorf("known_hosts changed without Trust (%v)", err)
	}
	if out, err := ssh(t, l, "h2", "true"); err == nil || !strings.Contains(out, "Host key verification failed") {
		t.Errorf("ssh to a host with another key: %v: %s", err, out)
	}
	if err := h.Trust(); err != nil {
		t.Fatal(err)
	}
	mustSSH(t, l, "h2", "true")
	mustSSH(t, l, "h1", "true")
}
