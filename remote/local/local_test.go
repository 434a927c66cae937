package local_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pdprov/pdprov/remote"
	"github.com/pdprov/pdprov/remote/local"
)

func host(t *testing.T) remote.Host {
	t.Helper()
	h, err := local.New("here", false)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func run(t *testing.T, cmd remote.Command) remote.Result {
	t.Helper()
	r, err := host(t).Run(t.Context(), cmd)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func text(r remote.Result) string {
	return fmt.Sprintf("stdout %q\nstderr %q\nstatus %d %s", r.Stdout, r.Stderr, r.Exit, r.Signal)
}

func TestEndings(t *testing.T) {
	tests := []struct {
		script string
		want   remote.Result
	}{
		{"echo out; echo err >&2", remote.Result{Stdout: []byte("out\n"), Stderr: []byte("err\n")}},
		{"exit 7", remote.Result{Exit: 7}},
		{"false", remote.Result{Exit: 1}},
		{"kill -KILL $$", remote.Result{Exit: 137, Signal: "KILL"}},
		{"kill -TERM $$", remote.Result{Exit: 143, Signal: "TERM"}},
		{"echo $#:$LC_ALL:${s-none}", remote.Result{Stdout: []byte("0:C:none\n")}},
		{"#!/bin/sh\n# a comment first\necho 'it''s'", remote.Result{Stdout: []byte("its\n")}},
		{"cat <<'EOF'\n$x 'a' \\ \"b\"\nEOF", remote.Result{Stdout: []byte("$x 'a' \\ \"b\"\n")}},
		{"", remote.Result{}},
	}
	for _, tt := range tests {
		t.Run(tt.script, func(t *testing.T) {
			got := run(t, remote.Command{Script: tt.script})
			if d := cmp.Diff(text(tt.want), text(got)); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestSyntaxErrorIsAResult(t *testing.T) {
	r := run(t, remote.Command{Script: "if"})
	if r.Exit == 0 || len(r.Stderr) == 0 {
		t.Errorf("got %s, want a status and the shell's own words", text(r))
	}
}

func TestInputGoesThroughUnchanged(t *testing.T) {
	in := make([]byte, 5<<20)
	for i := range in {
		in[i] = byte(rand.Uint32())
	}
	r := run(t, remote.Command{Script: "sha256sum", Stdin: bytes.NewReader(in)})
	if want := fmt.Sprintf("%x  -\n", sha256.Sum256(in)); string(r.Stdout) != want {
		t.Errorf("the host read %s, want %s", r.Stdout, want)
	}
}

func TestLongScript(t *testing.T) {
	script := "x='" + strings.Repeat("0123456789", 300_000) + "'\necho ${#x}"
	if r := run(t, remote.Command{Script: script}); string(r.Stdout) != "3000000\n" {
		t.Errorf("got %q", r.Stdout)
	}
}

func TestOutputIsCapped(t *testing.T) {
	r := run(t, remote.Command{Script: "head -c 60000000 /dev/zero; echo begin >&2; head -c 1000000 /dev/zero >&2; echo end >&2", MaxBytes: 1000})
	if len(r.Stdout) != 1000 || !r.Truncated || r.Exit != 0 {
		t.Errorf("got %d bytes, truncated %v, status %d", len(r.Stdout), r.Truncated, r.Exit)
	}
	if !bytes.HasPrefix(r.Stderr, []byte("begin\n")) || !bytes.HasSuffix(r.Stderr, []byte("end\n")) || len(r.Stderr) > 65<<10 {
		t.Errorf("stderr is not its beginning and its end: %d bytes", len(r.Stderr))
	}
}

func TestOutputIsStreamed(t *testing.T) {
	r, w := io.Pipe()
	lines := make(chan string)
	go func() {
		buf := make([]byte, 100)
		n, _ := r.Read(buf)
		lines <- string(buf[:n])
		io.Copy(io.Discard, r)
	}()
	in, release := io.Pipe()
	done := make(chan error, 1)
	go func() {
		got, err := host(t).Run(t.Context(), remote.Command{Script: "echo first; read -r x; echo $x", Stdin: in, Stdout: w})
		if err == nil && got.Stdout != nil {
			err = errors.New("streamed output was kept as well")
		}
		done <- err
	}()
	if got := <-lines; got != "first\n" {
		t.Errorf("the first output is %q", got)
	}
	io.WriteString(release, "second\n")
	release.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
	w.Close()
}

func TestCancelKillsTheGroup(t *testing.T) {
	pidFile := filepath.Join(t.TempDir(), "pid")
	t.Setenv("HOME", pidFile) // one of the few variables that a script sees
	ctx, cancel := context.WithCancel(t.Context())
	started, said := io.Pipe()
	go func() {
		io.ReadFull(started, make([]byte, 1))
		cancel()
		io.Copy(io.Discard, started)
	}()
	_, err := host(t).Run(ctx, remote.Command{
		Script: `sh -c 'trap "" TERM; echo $$ > "$HOME"; echo; sleep 600' & wait`, Stdout: said,
	})
	var lost *remote.TransportError
	if !errors.As(err, &lost) || !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want a *remote.TransportError for the cancellation", err)
	}
	text, err := os.ReadFile(pidFile)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	for range 100 {
		if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Errorf("process %d lives on", pid)
	syscall.Kill(pid, syscall.SIGKILL)
}

func TestTimeout(t *testing.T) {
	_, err := host(t).Run(t.Context(), remote.Command{Script: "exec >&- 2>&-; sleep 600", Timeout: 100 * time.Millisecond})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

func TestScriptSeesNoSecretOfTheCaller(t *testing.T) {
	t.Setenv("PDPROV_VAR_hf_token", "hidden")
	if r := run(t, remote.Command{Script: "env"}); bytes.Contains(r.Stdout, []byte("hidden")) {
		t.Error("the caller's environment reached a script")
	}
}
