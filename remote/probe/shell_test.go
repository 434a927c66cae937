package probe_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os/exec"
	"strings"
	"testing"

	"github.com/pdprov/pdprov/remote"
)

// shellHost runs scripts in a shell of this machine. Its stdin carries the script's
// input, as on a real host.
type shellHost struct{ shell []string }

func (shellHost) Name() string { return "here" }
func (shellHost) Close() error { return nil }

func (h shellHost) Run(ctx context.Context, c remote.Command) (remote.Result, error) {
	script := c.Script
	if h.shell[0] == "busybox" {
		// This ash prefers its own applets; a host has the tools of coreutils.
		script = strings.ReplaceAll(script, "timeout -", "/usr/bin/timeout -")
	}
	args := append(h.shell[1:len(h.shell):len(h.shell)], "-c", script)
	cmd := exec.Command(h.shell[0], args...)
	var stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = c.Stdout, &stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return remote.Result{}, err
	}
	if err := cmd.Start(); err != nil {
		return remote.Result{}, err
	}
	go func() {
		if c.Stdin != nil {
			io.Copy(stdin, c.Stdin)
		}
		stdin.Close()
	}()
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err = <-ended:
	case <-ctx.Done():
		cmd.Process.Kill()
		return remote.Result{}, ctx.Err()
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return remote.Result{}, err
	}
	return remote.Result{Stderr: stderr.Bytes(), Exit: cmd.ProcessState.ExitCode()}, nil
}

// shells are the ones that /bin/sh is on the hosts that pdprov knows.
func shells(t *testing.T, test func(t *testing.T, h shellHost)) {
	for _, shell := range [][]string{{"dash"}, {"bash", "--posix"}, {"busybox", "sh"}} {
		t.Run(shell[0], func(t *testing.T) {
			if _, err := exec.LookPath(shell[0]); err != nil {
				t.Skipf("%s is not installed", shell[0])
			}
			test(t, shellHost{shell})
		})
	}
}
