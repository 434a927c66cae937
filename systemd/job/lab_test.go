package job_test

import (
	"bytes"
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pdprov/pdprov/internal/lab"
	"github.com/pdprov/pdprov/remote"
	"github.com/pdprov/pdprov/remote/ssh"
	"github.com/pdprov/pdprov/stages/stage"
	"github.com/pdprov/pdprov/systemd/job"
)

// practice is one lab host, reached over ssh as pdprov reaches it, and from beside.
type practice struct {
	*testing.T
	remote.Host
	box *lab.Host
	lab *lab.Lab
	ctx context.Context
}

// testLimit ends a test that hangs; the longest takes a quarter of it.
const testLimit = time.Minute

// Context is that of the test, and ends in time.
func (p practice) Context() context.Context { return p.ctx }

func reach(t *testing.T, l *lab.Lab, name string) practice {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), testLimit)
	t.Cleanup(cancel)
	p := practice{T: t, box: l.Host(name), lab: l, ctx: ctx}
	if err := p.box.WaitSSH(ctx); err != nil {
		t.Fatal(err)
	}
	p.Host = p.dial()
	t.Cleanup(func() { p.Close() })
	return p
}

// dial makes a connection of its own, as another controller would.
func (p practice) dial() remote.Host {
	p.Helper()
	d := ssh.NewDialer(ssh.Options{
		ConfigFile: p.lab.SSHConfig(), DialContext: p.lab.DialContext,
		ConnectTimeout: 2 * time.Second, HandshakeTimeout: 10 * time.Second, KeepAlive: 2 * time.Second,
	})
	h, err := d.Dial(p.Context(), ssh.Target{Name: p.box.Name, Address: p.box.Name})
	if err != nil {
		p.Fatal(err)
	}
	return h
}

// beside runs sh text on the host without pdprov's own ways.
func (p practice) beside(text string) string {
	p.Helper()
	out, err := p.box.Exec(p.Context(), "/bin/sh", "-euc", text)
	if err != nil {
		p.Fatal(err)
	}
	return string(out)
}

const readBoot = "cat /proc/sys/kernel/random/boot_id"

// awaitReboot waits until the host has gone down and come up since that boot.
func (p practice) awaitReboot(boot string) {
	p.Helper()
	for p.Context().Err() == nil {
		out, err := p.box.Exec(p.Context(), "/bin/sh", "-euc", readBoot)
		if err == nil && string(out) != boot {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	if err := p.box.WaitSSH(p.Context()); err != nil {
		p.Fatal(err)
	}
}

func (p practice) start(s job.Spec) job.Ref {
	p.Helper()
	ref, err := job.Start(p.Context(), p.Host, s)
	if err != nil {
		p.Fatal(err)
	}
	return ref
}

// end follows a job and returns its status and its whole log.
func (p practice) end(ref job.Ref) (job.Status, string) {
	p.Helper()
	var log bytes.Buffer
	s, err := job.Follow(p.Context(), p.Host, ref, 0, func(chunk []byte, _ int64) { log.Write(chunk) },
		job.FollowOptions{Deadline: time.Minute})
	if err != nil {
		p.Fatal(err)
	}
	return s, log.String()
}

// status is what a list of all jobs says of one.
func (p practice) status(ref job.Ref) (job.Status, bool) {
	p.Helper()
	jobs, err := job.Find(p.Context(), p.Host)
	if err != nil {
		p.Fatal(err)
	}
	for _, j := range jobs {
		if j.Ref == ref {
			return j, true
		}
	}
	return job.Status{}, false
}

// awaitLog waits until the job has written a text.
func (p practice) awaitLog(ref job.Ref, text string) {
	p.Helper()
	for p.Context().Err() == nil {
		var log bytes.Buffer
		if err := job.Log(p.Context(), p.Host, ref, 0, &log); err != nil {
			p.Fatal(err)
		}
		if strings.Contains(log.String(), text) {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	p.Fatalf("the log never held %q", text)
}

// spec is a job of one step that runs a script.
func spec(run, addr, script string) job.Spec {
	return job.Spec{
		Run: run, Stage: addr, Owner: "alice@laptop", Timeout: time.Minute,
		Steps: []stage.Step{{Title: "the step", Script: script}},
	}
}

// TestHosts runs all tests that need hosts in one lab: starting it costs most.
func TestHosts(t *testing.T) {
	l := lab.ForTest(t, 3)
	groups := map[string]map[string]func(practice){
		"h1": {
			"endings": testEndings, "races": testRaces, "content": testContent, "secrets": testSecrets,
			"logs": testLogs, "offset": testOffset, "again": testAgain, "leftovers": testLeftovers, "prune": testPrune, "cancel": testCancelIsOfOneRun,
		},
		"h2": {"reboot": testReboot, "power": testPower, "cut": testCut, "silence": testSilence, "stalled": testStalledStart},
		"h3": {"disk": testDisk, "bare": testBareHost},
	}
	var all sync.WaitGroup
	for host, tests := range groups {
		all.Go(func() {
			t.Run(host, func(t *testing.T) {
				for name, test := range tests {
					t.Run(name, func(t *testing.T) { test(reach(t, l, host)) })
				}
			})
		})
	}
	all.Wait()
}

func within(p practice, limit time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(p.Context(), limit)
}
