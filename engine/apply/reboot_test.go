package apply_test

import (
	"context"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pdprov/pdprov/engine/apply"
	"github.com/pdprov/pdprov/internal/lab"
)

// TestReboot runs the cases of a host one after the other, hosts side by side. Those that
// break a host come last.
func TestReboot(t *testing.T) {
	l := lab.ForTest(t, 2)
	type test struct {
		name string
		run  func(box)
	}
	var all sync.WaitGroup
	for host, tests := range map[string][]test{
		"h1": {{"done", testDone}, {"busy", testBusy}, {"exclusive", testExclusive}, {"killed", testKilled}, {"own machine", testOwn}, {"taken", testTaken}, {"old boot", testOldBoot}},
		"h2": {{"late sshd", testLate}, {"held up", testHeldUp}, {"refused", testRefused}, {"interrupted", testInterrupted}, {"gone", testGone}},
	} {
		all.Go(func() {
			t.Run(host, func(t *testing.T) {
				for _, test := range tests {
					t.Run(test.name, func(t *testing.T) { test.run(open(t, l, host)) })
				}
			})
		})
	}
	all.Wait()
}

// testDone: what needs the stage runs in the new boot, and nothing is left to do.
func testDone(b box) {
	old := b.sh(bootID)
	o := b.order(time.Minute, stageOn(b.Name, "loaded.x", "text=done"), stageOn(b.Name, "mark.later", "path=/var/lib/later", "depends=loaded.x"))
	s, events := b.good(o)
	now := b.sh(bootID)
	if s.Done != 2 || now == old || b.sh("cat "+loadedPath+" /var/lib/later") != "done"+now {
		b.Errorf("%+v, boot %s, then %s, and %s\n%s", s, old, now, b.sh("cat "+loadedPath+" /var/lib/later"), events)
	}
	if r, back, later := events.index(apply.HostRebooting, "loaded.x"), events.index(apply.HostBack, "loaded.x"), events.index(apply.StageStarted, "mark.later"); r < 0 || back < r || later < back {
		b.Errorf("in the wrong order:\n%s", events)
	}
	if s, events := b.good(o); s.InSync != 2 || b.sh(bootID) != now {
		b.Errorf("again: %+v\n%s", s, events)
	}
	b.sh("printf other >" + loadedPath) // only the boot is missing now
	if s, events := b.good(o); s.Done != 1 || b.sh(bootID) == now || b.sh("wc -l </var/lib/steps") != "1" {
		b.Errorf("without steps: %+v\n%s", s, events)
	}
}

// testBusy: a host that has just booted does not answer at once, and is asked again.
func testBusy(b box) {
	b.sh("touch /etc/busy")
	defer b.sh("rm /etc/busy")
	if s, events := b.good(b.order(time.Minute, stageOn(b.Name, "loaded.x", "text=busy"))); s.Done != 1 || b.sh("ls /run/busy 2>&1 || :") == "/run/busy" {
		b.Errorf("%+v\n%s", s, events)
	}
}

// testExclusive: what runs ends first; what comes to its turn while the reboot waits for
// that runs in the new boot, also where it shares a resource with it, and so does what
// comes later.
func testExclusive(b box) {
	old := b.sh(bootID)
	_, events := b.good(b.order(time.Minute,
		stageOn(b.Name, "mark.slow", "path=/var/lib/slow", "seconds=5"),
		stageOn(b.Name, "mark.gate", "path=/var/lib/gate", "seconds=1"),
		stageOn(b.Name, "mark.second", "path=/var/lib/second", "seconds=2"),
		stageOn(b.Name, "mark.behind", "path=/var/lib/behind", "lock=net", "depends=mark.second"),
		stageOn(b.Name, "mark.beside", "path=/var/lib/beside", "depends=mark.second"),
		stageOn(b.Name, "loaded.x", "text=exclusive", "depends=mark.gate"),
		stageOn(b.Name, "mark.waits", "path=/var/lib/waits"),
	))
	if got := b.sh("cat /var/lib/slow /var/lib/gate /var/lib/second"); got != old+"\n"+old+"\n"+old {
		b.Errorf("before the reboot: %s, not %s\n%s", got, old, events)
	}
	now := b.sh(bootID)
	if got := b.sh("cat /var/lib/behind /var/lib/beside /var/lib/waits"); now == old || got != now+"\n"+now+"\n"+now {
		b.Errorf("after the reboot: %s\n%s", got, events)
	}
	if events.index(apply.StageDone, "mark.slow") > events.index(apply.HostRebooting, "") {
		b.Errorf("in the wrong order:\n%s", events)
	}
}

// testKilled kills the controller between the steps and the order, and then in the
// reboot: the next apply goes on, and no step runs twice.
func testKilled(b box) {
	b.sh("rm -f /var/lib/steps")
	old := b.sh(bootID)
	o := b.order(time.Minute, stageOn(b.Name, "loaded.x", "text=killed"))
	hangs := o
	hangs.HangAt = apply.HostRebooting
	b.killed(hangs, apply.HostRebooting, 0)
	if b.sh("cat "+configuredPath) != "killed" || b.sh(bootID) != old {
		b.Error("the steps did not run, or the host was rebooted")
	}
	b.killed(o, apply.HostRebooting, 300*time.Millisecond)
	ctx, cancel := context.WithTimeout(b.T.Context(), time.Minute)
	defer cancel()
	for boots := 0; boots < 1 && ctx.Err() == nil; time.Sleep(100 * time.Millisecond) {
		if out, err := b.Exec(ctx, "sh", "-c", bootID); err == nil && strings.TrimSpace(string(out)) != old {
			boots++
		}
	}
	if err := b.WaitSSH(ctx); err != nil {
		b.Fatal(err)
	}
	now := b.sh(bootID)
	if s, events := b.good(o); s.InSync != 1 || b.sh(bootID) != now || b.sh("wc -l </var/lib/steps") != "1" {
		b.Errorf("%+v\n%s", s, events)
	}
}

// testOwn: pdprov does not reboot the machine that it runs on, which is the one with its
// own boot id. A lab host has another one mounted over that.
func testOwn(b box) {
	own, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if got := b.sh("umount /proc/sys/kernel/random/boot_id; " + bootID); err != nil || got != strings.TrimSpace(string(own)) {
		b.Fatalf("%v: %s is not %s", err, got, own)
	}
	defer func() {
		if err := b.Reboot(); err != nil {
			b.Error(err)
		}
	}()
	s, events, err := b.apply(b.T.Context(), b.order(time.Minute, stageOn(b.Name, "loaded.x", "text=own")))
	if s.Failed != 1 || events.index(apply.HostRebooting, "") >= 0 || err == nil || !strings.Contains(err.Error(), "reboot it, and apply again") {
		b.Errorf("%+v %v\n%s", s, err, events)
	}
}

// testTaken: another has the lock when the host is back, and keeps it.
func testTaken(b box) {
	b.sh(`cat >/etc/systemd/system/taken.service <<'X'
[Unit]
Before=ssh.service
[Service]
ExecStart=/usr/bin/flock /run/pdprov.lock sleep infinity
[Install]
WantedBy=multi-user.target
X
systemctl enable -q taken.service`)
	old := b.sh(bootID)
	s, events, err := b.apply(b.T.Context(), b.order(time.Minute, stageOn(b.Name, "loaded.x", "text=taken"), stageOn(b.Name, "mark.t", "path=/var/lib/taken")))
	if s.Failed != 2 || b.sh(bootID) == old || err == nil || !strings.Contains(err.Error(), "was rebooted, but its lock could not be taken again: "+b.Name+": the lock is held by") {
		b.Errorf("%+v %v\n%s", s, err, events)
	}
	b.sh("systemctl disable -q --now taken.service; ! test -e /var/lib/taken")
	if s, events := b.good(b.order(time.Minute, stageOn(b.Name, "loaded.x", "text=taken"))); s.InSync != 1 {
		b.Errorf("afterwards: %+v\n%s", s, events)
	}
}

// testLate: the host answers some time after the kernel has started.
func testLate(b box) {
	drop := "/etc/systemd/system/ssh.service.d"
	b.sh("mkdir -p " + drop + "; printf '[Service]\\nExecStartPre=/bin/sleep 12\\n' >" + drop + "/late.conf; systemctl daemon-reload")
	defer b.sh("rm " + drop + "/late.conf; systemctl daemon-reload")
	started := time.Now()
	if s, events := b.good(b.order(time.Minute, stageOn(b.Name, "loaded.x", "text=late"))); s.Done != 1 || time.Since(started) < 12*time.Second {
		b.Errorf("%+v\n%s", s, events)
	}
}

// hold makes the shutdown wait while sshd goes on.
func (b box) hold(seconds string) {
	b.sh(`cat >/etc/systemd/system/hold.service <<X
[Unit]
After=ssh.service network.target dbus.service
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/true
ExecStop=/bin/sleep ` + seconds + `
TimeoutStopSec=600
X
systemctl daemon-reload; systemctl start hold.service`)
}

// testHeldUp: the boot before answers for a while, which is neither an error nor the end.
func testHeldUp(b box) {
	b.hold("10")
	started := time.Now()
	s, events := b.good(b.order(time.Minute, stageOn(b.Name, "loaded.x", "text=held")))
	if s.Done != 1 || time.Since(started) < 10*time.Second {
		b.Errorf("%+v\n%s", s, events)
	}
}

// unknown wants one stage of which the outcome is unknown, with these words.
func (b box) unknown(o order, words ...string) {
	b.Helper()
	s, events, err := b.apply(b.T.Context(), o)
	if s.Unknown != 1 || s.Failed != 0 || err == nil {
		b.Fatalf("%+v %v\n%s", s, err, events)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			b.Errorf("%q is not in: %v", w, err)
		}
	}
}

// testOldBoot: the deadline passes while the boot before answers. What has not begun
// there is not begun: the host may go down at any time.
func testOldBoot(b box) {
	b.hold("30")
	b.unknown(b.order(5*time.Second, stageOn(b.Name, "loaded.x", "text=never")), b.Name+": still answers from the boot before", "the reboot did not happen")
	s, events, err := b.apply(b.T.Context(), b.order(3*time.Second, stageOn(b.Name, "loaded.x", "text=never"), stageOn(b.Name, "mark.free", "path=/var/lib/free")))
	if s.Unknown != 1 || s.Skipped != 1 || err == nil {
		b.Errorf("%+v %v\n%s", s, err, events)
	}
}

// testRefused: a host that says no has not begun to reboot, and is not waited for.
func testRefused(b box) {
	b.sh("mkdir -p /run/keep; cp -a /bin/systemctl /run/keep; printf '#!/bin/sh\\n[ \"$1\" != reboot ] || { echo not today >&2; exit 7; }\\nexec /run/keep/systemctl \"$@\"\\n' >/run/keep/fake; chmod 755 /run/keep/fake; cp --remove-destination /run/keep/fake /bin/systemctl")
	defer b.sh("cp --remove-destination -a /run/keep/systemctl /bin/systemctl")
	s, events, err := b.apply(b.T.Context(), b.order(time.Minute, stageOn(b.Name, "loaded.x", "text=refused"), stageOn(b.Name, "mark.r", "path=/var/lib/refused")))
	if s.Failed != 1 || s.Unknown != 0 || s.Done != 1 || err == nil || !strings.Contains(err.Error(), "exit status 7: not today") {
		b.Errorf("%+v %v\n%s", s, err, events)
	}
}

// testInterrupted: the person does not wait; what is not known is said.
func testInterrupted(b box) {
	ctx, cancel := context.WithCancel(b.T.Context())
	defer cancel()
	b.hold("3") // a host can be back in less than the second that the person waits
	o := b.order(time.Minute, stageOn(b.Name, "loaded.x", "text=interrupted"))
	events := &told{}
	old := b.sh(bootID)
	s, err := o.run(ctx, func(e apply.Event) {
		events.add(e)
		if e.Type == apply.HostRebooting {
			time.AfterFunc(time.Second, cancel)
		}
	})
	if s.Unknown != 1 || err == nil || !strings.Contains(err.Error(), "whether it comes back is not known") {
		b.Errorf("%+v %v\n%s", s, err, events)
	}
	for b.T.Context().Err() == nil {
		if out, err := b.Exec(b.T.Context(), "sh", "-c", bootID); err == nil && strings.TrimSpace(string(out)) != old {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	if err := b.WaitSSH(b.T.Context()); err != nil {
		b.Fatal(err)
	}
}

// testGone: the host powers off and never returns.
func testGone(b box) {
	drop := "/etc/systemd/system/systemd-reboot.service.d"
	b.sh("mkdir -p " + drop + "; printf '[Unit]\\nSuccessAction=poweroff-force\\n' >" + drop + "/off.conf; systemctl daemon-reload")
	b.unknown(b.order(15*time.Second, stageOn(b.Name, "loaded.x", "text=gone")), b.Name+": did not come back within 15s", "silent since")
	if s, err := b.Status(); err != nil || s.Running {
		b.Errorf("%+v %v: the host did not go off", s, err)
	}
}
