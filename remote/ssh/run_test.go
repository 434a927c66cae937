package ssh_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdprov/pdprov/remote"
	"github.com/pdprov/pdprov/remote/ssh"
)

func text(r remote.Result) string {
	return fmt.Sprintf("stdout %q\nstderr %q\nstatus %d %s", r.Stdout, r.Stderr, r.Exit, r.Signal)
}

func TestEndings(t *testing.T) {
	s := startServer(t)
	s.trust(t, "ed25519")
	h := s.dial(t, ssh.Options{})
	tests := []struct {
		script string
		want   remote.Result
	}{
		{"echo out; echo err >&2", remote.Result{Stdout: []byte("out\n"), Stderr: []byte("err\n")}},
		{"exit 7", remote.Result{Exit: 7}},
		{"kill -KILL $$", remote.Result{Exit: 137, Signal: "KILL"}},
		{"kill -TERM $$", remote.Result{Exit: 143, Signal: "TERM"}},
		{"echo $#:$LC_ALL", remote.Result{Stdout: []byte("0:C\n")}},
		{"", remote.Result{}},
	}
	for _, tt := range tests {
		t.Run(tt.script, func(t *testing.T) {
			if d := cmp.Diff(text(tt.want), text(run(t, h, remote.Command{Script: tt.script}))); d != "" {
				t.Error(d)
			}
		})
	}
}

// shells are ways in which sshd may run a command: ForceCommand hands the command
// line to another shell exactly as a login shell gets it.
func TestLoginShells(t *testing.T) {
	script := "printf '%s|' 'a b' \"it's\" '$x' '\\' '!!' 'ü'\ncat"
	want := `a b|it's|$x|\|!!|ü|` + "\x00\x01in'put\n"
	for _, shell := range []string{"dash", "fish", "tcsh", "busybox sh", "zsh", "ksh"} {
		t.Run(shell, func(t *testing.T) {
			lookPath(t, strings.Fields(shell)[0])
			s := startServer(t, `ForceCommand exec `+shell+` -c "$SSH_ORIGINAL_COMMAND"`)
			s.trust(t, "ed25519")
			r := run(t, s.dial(t, ssh.Options{}), remote.Command{Script: script, Stdin: strings.NewReader("\x00\x01in'put\n")})
			if string(r.Stdout) != want || r.Exit != 0 {
				t.Errorf("got %s, want %q", text(r), want)
			}
		})
	}
}

func TestNoiseBeforeTheScriptIsDropped(t *testing.T) {
	s := startServer(t, `ForceCommand echo pdprov-start; head -c 3000000 /dev/zero; echo "pdprov-start $SSH_ORIGINAL_COMMAND"; echo noise >&2; printf unfinished; eval "$SSH_ORIGINAL_COMMAND"`)
	s.trust(t, "ed25519")
	r := run(t, s.dial(t, ssh.Options{}), remote.Command{Script: "echo out; echo err >&2"})
	if string(r.Stdout) != "out\n" || string(r.Stderr) != "err\n" {
		t.Errorf("got %s", text(r))
	}
}

func TestNoShell(t *testing.T) {
	for name, tt := range map[string]struct{ command, says string }{
		"nologin": {"/usr/sbin/nologin", "currently not available"},
		"sftp":    {"internal-sftp", ""},
		"silent":  {"exit 3", "said nothing"},
	} {
		t.Run(name, func(t *testing.T) {
			s := startServer(t, "ForceCommand "+tt.command)
			s.trust(t, "ed25519")
			_, err := s.dial(t, ssh.Options{}).Run(t.Context(), remote.Command{Script: "true"})
			refused(t, err, remote.NoShell, tt.says, "root@127.0.0.1")
		})
	}
}

func TestScriptThatDoesNotArriveWholeDoesNotRun(t *testing.T) {
	s := startServer(t, `ForceCommand head -c 100 | sh -c "$SSH_ORIGINAL_COMMAND"`)
	s.trust(t, "ed25519")
	_, err := s.dial(t, ssh.Options{}).Run(t.Context(), remote.Command{Script: "echo ran\n" + strings.Repeat("# padding\n", 100)})
	refused(t, err, remote.NoShell, "did not arrive whole")
}

func TestInputGoesThroughUnchanged(t *testing.T) {
	s := startServer(t)
	s.trust(t, "ed25519")
	in := make([]byte, 5<<20)
	for i := range in {
		in[i] = byte(rand.Uint32())
	}
	r := run(t, s.dial(t, ssh.Options{}), remote.Command{Script: "sha256sum", Stdin: bytes.NewReader(in)})
	if want := fmt.Sprintf("%x  -\n", sha256.Sum256(in)); string(r.Stdout) != want {
		t.Errorf("the host read %s, want %s", r.Stdout, want)
	}
}

func TestLongScript(t *testing.T) {
	s := startServer(t)
	s.trust(t, "ed25519")
	says(t, s.dial(t, ssh.Options{}), "x='"+strings.Repeat("0123456789", 300_000)+"'\necho ${#x}", "3000000\n")
}

func TestOutputIsCapped(t *testing.T) {
	s := startServer(t)
	s.trust(t, "ed25519")
	h := s.dial(t, ssh.Options{})
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	r := run(t, h, remote.Command{Script: "head -c 200000000 /dev/zero; echo begin >&2; head -c 1000000 /dev/zero >&2; echo end >&2; exit 3", MaxBytes: 1 << 20})
	runtime.GC()
	runtime.ReadMemStats(&after)
	if len(r.Stdout) != 1<<20 || !r.Truncated || r.Exit != 3 {
		t.Errorf("got %d bytes, truncated %v, status %d", len(r.Stdout), r.Truncated, r.Exit)
	}
	if !bytes.HasPrefix(r.Stderr, []byte("begin\n")) || !bytes.HasSuffix(r.Stderr, []byte("end\n")) || len(r.Stderr) > 65<<10 {
		t.Errorf("stderr is not its beginning and its end: %d bytes", len(r.Stderr))
	}
	if grown := int64(after.HeapSys) - int64(before.HeapSys); grown > 64<<20 {
		t.Errorf("the heap grew by %d bytes", grown)
	}
	runtime.KeepAlive(r)
}

func TestManyAtOnce(t *testing.T) {
	s := startServer(t)
	s.trust(t, "ed25519")
	h := s.dial(t, ssh.Options{})
	var wg sync.WaitGroup
	for i := range 60 {
		wg.Go(func() {
			r, err := h.Run(t.Context(), remote.Command{Script: "cat", Stdin: strings.NewReader(fmt.Sprint(i))})
			if err != nil || string(r.Stdout) != fmt.Sprint(i) {
				t.Errorf("script %d: %q, %v", i, r.Stdout, err)
			}
		})
	}
	wg.Wait()
}
