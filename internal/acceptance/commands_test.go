package acceptance

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/pdprov/pdprov/internal/lab"
)

// state is what one script has: its lab, and pdprov running behind it.
type state struct {
	work string
	lab  *lab.Lab
	back *exec.Cmd
	out  bytes.Buffer
	done chan struct{}
}

const stateKey = "acceptance"

func of(ts *testscript.TestScript) *state { return ts.Value(stateKey).(*state) }

// commands are the words that the scripts have beside testscript's own.
//
//	lab N [PROFILE]          N fresh hosts, h1 and so on; with a GPU profile var.repository and var.key are set
//	lab 1 vm                 one virtual machine; var.repository and var.key are set
//	set HOST SWITCH=VALUE    a switch of the lab's profile
//	pdprov STATUS ARG...     pdprov in the lab's network must end with STATUS; its output is for stdout and stderr
//	pdprov& ARG...           the same in the background
//	finish STATUS            waits for it; its output is for stdout
//	kill9 MIN MAX            kills the one in the background with SIGKILL after a random time between (Go durations)
//	on HOST CMD...           a command inside the host, as root; ! says that it must fail
//	sh HOST TEXT             sh text inside the host
//	cut|mend|reboot|poweroff|poweron|reimage HOST
//	pause DURATION
//	tree HOST FILE           a checksum of the host's file tree, without what sshd and the journal log
//	until HOST TEXT          repeats sh text inside the host until it succeeds, at most 60 s
func commands() map[string]func(*testscript.TestScript, bool, []string) {
	return map[string]func(*testscript.TestScript, bool, []string){
		"lab": cmdLab, "set": cmdSet, "pdprov": cmdPdprov, "pdprov&": cmdBackground, "finish": cmdFinish, "kill9": cmdKill9,
		"on": cmdOn, "sh": cmdSh, "until": cmdUntil, "tree": cmdTree, "pause": cmdPause,
		"cut":      link(func(h *lab.Host) error { return h.Cut() }),
		"mend":     link(mend),
		"reboot":   link(func(h *lab.Host) error { return h.Reboot() }),
		"poweroff": link(func(h *lab.Host) error { return h.PowerOff() }),
		"poweron":  link(func(h *lab.Host) error { return h.PowerOn() }),
		"reimage":  link(func(h *lab.Host) error { return h.Reimage() }),
	}
}

func cmdLab(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	s := of(ts)
	dir, err := os.MkdirTemp("/var/tmp", "pdprov-lab.")
	ts.Check(err)
	o := lab.Options{Dir: dir, Hosts: n}
	switch {
	case len(args) > 1 && args[1] == "vm":
		o.VM = true
	case len(args) > 1:
		o.Profile = args[1]
	}
	s.lab, err = lab.Up(context.Background(), o)
	ts.Defer(func() {
		s.stop()
		if s.lab != nil {
			s.lab.Down()
		}
		os.RemoveAll(dir)
	})
	ts.Check(err)
	ts.Setenv("SSH_CONFIG", s.lab.SSHConfig())
	if o.Profile != "" || o.VM {
		source, err := s.lab.Repository()
		ts.Check(err)
		ts.Setenv("PDPROV_VAR_repository", source.URL)
		ts.Setenv("PDPROV_VAR_key", source.Fingerprint)
	}
}

func cmdSet(ts *testscript.TestScript, _ bool, args []string) {
	name, value, _ := strings.Cut(args[1], "=")
	ts.Check(of(ts).lab.Host(args[0]).Set(name, value))
}

// stop ends what still runs in the background.
func (s *state) stop() {
	if s.back != nil {
		s.back.Process.Kill()
		<-s.done
		s.back = nil
	}
}

func (s *state) pdprov(ts *testscript.TestScript, args []string) *exec.Cmd {
	full := append([]string{args[0]}, args[1:]...)
	if connects[args[0]] {
		full = append(full, "--ssh-config", ts.Getenv("SSH_CONFIG"))
	}
	cmd := s.lab.Command(ts.Getenv("PDPROV"), full...)
	cmd.Dir = ts.MkAbs(".")
	for _, name := range []string{"HOME", "PATH", "NO_COLOR", "LANG", "SSH_AUTH_SOCK", "PDPROV_VAR_secret", "PDPROV_VAR_repository", "PDPROV_VAR_key", "SUDO_PASSWORD"} {
		if v := ts.Getenv(name); v != "" {
			cmd.Env = append(cmd.Env, name+"="+v)
		}
	}
	return cmd
}

var connects = map[string]bool{"plan": true, "apply": true, "audit": true, "facts": true, "status": true, "logs": true, "attach": true, "unlock": true}

func cmdPdprov(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	cmd := of(ts).pdprov(ts, args[1:])
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	got := exitStatus(cmd.Run())
	ts.Stdout().Write(stdout.Bytes())
	ts.Stderr().Write(stderr.Bytes())
	if got != want {
		ts.Fatalf("pdprov %s: exit status %d, want %d\n%s%s", strings.Join(args[1:], " "), got, want, stdout.String(), stderr.String())
	}
}

func exitStatus(err error) int {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.ExitCode()
	default:
		return -1
	}
}

func cmdBackground(ts *testscript.TestScript, _ bool, args []string) {
	s := of(ts)
	s.stop()
	s.out.Reset()
	cmd := s.pdprov(ts, args)
	cmd.Stdout, cmd.Stderr = &s.out, &s.out
	ts.Check(cmd.Start())
	s.back, s.done = cmd, make(chan struct{})
	go func(done chan struct{}) { cmd.Wait(); close(done) }(s.done)
}

func cmdFinish(ts *testscript.TestScript, _ bool, args []string) {
	s := of(ts)
	select {
	case <-s.done:
	case <-time.After(5 * time.Minute):
		ts.Fatalf("pdprov in the background did not end within 5 minutes:\n%s", s.out.String())
	}
	got := s.back.ProcessState.ExitCode()
	s.back = nil
	ts.Stdout().Write(s.out.Bytes())
	if want, _ := strconv.Atoi(args[0]); got != want {
		ts.Fatalf("pdprov in the background: exit status %d, want %d\n%s", got, want, s.out.String())
	}
}

func cmdKill9(ts *testscript.TestScript, _ bool, args []string) {
	lo, err := time.ParseDuration(args[0])
	ts.Check(err)
	hi, err := time.ParseDuration(args[1])
	ts.Check(err)
	wait := lo + time.Duration(rand.Int64N(int64(hi-lo)+1))
	time.Sleep(wait)
	ts.Logf("killed after %s", wait)
	of(ts).stop()
}

func cmdOn(ts *testscript.TestScript, neg bool, args []string) {
	out, err := of(ts).lab.Host(args[0]).Exec(context.Background(), args[1:]...)
	ts.Stdout().Write(out)
	if (err != nil) != neg {
		ts.Fatalf("on %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

func cmdSh(ts *testscript.TestScript, neg bool, args []string) {
	cmdOn(ts, neg, []string{args[0], "sh", "-c", strings.Join(args[1:], " ")})
}

func cmdUntil(ts *testscript.TestScript, _ bool, args []string) {
	text := strings.Join(args[1:], " ")
	for range 300 {
		if _, err := of(ts).lab.Host(args[0]).Exec(context.Background(), "sh", "-c", text); err == nil {
			return
		}
		time.Sleep(200 * time.Millisecond)
	}
	ts.Fatalf("until %s: not within 60 s: %s", args[0], text)
}

func link(do func(*lab.Host) error) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, _ bool, args []string) {
		ts.Check(do(of(ts).lab.Host(args[0])))
	}
}

// mend returns when the host answers: after a cut the neighbour table says for a
// moment that there is no way to it.
func mend(h *lab.Host) error {
	if err := h.Mend(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return h.WaitSSH(ctx)
}

func cmdPause(ts *testscript.TestScript, _ bool, args []string) {
	d, err := time.ParseDuration(args[0])
	ts.Check(err)
	time.Sleep(d)
}

// treeScript lists everything on the root file system with type, mode, owner, size,
// times and content; left out are what sshd (which writes /run/motd.dynamic at each
// login) and the journal write by themselves. Of /run, /tmp and /dev/shm the names count.
const treeScript = `cd / && find . -xdev \( -path ./var/log -o -path ./proc -o -path ./sys -o -path ./run \) -prune -o -printf '%p %y %m %U %G %T@ %s\n' | sort
find . -xdev \( -path ./var/log -o -path ./proc -o -path ./sys \) -prune -o -type f -print0 | sort -z | xargs -0 sha256sum
for d in /tmp /run /dev/shm; do find $d -path /run/systemd -prune -o -path /run/user -prune -o -name motd.dynamic -o -print | sort; done`

func cmdTree(ts *testscript.TestScript, _ bool, args []string) {
	out, err := of(ts).lab.Host(args[0]).Exec(context.Background(), "sh", "-c", treeScript)
	if err != nil {
		ts.Fatalf("tree: %v", err)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), out, 0o600))
	if n := bytes.Count(out, []byte("\n")); n < 5000 {
		ts.Fatalf("tree of %s has %d lines only", args[0], n)
	}
	fmt.Fprintf(ts.Stdout(), "%d bytes\n", len(out))
}
