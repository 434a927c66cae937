package lab_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pdprov/pdprov/internal/lab"
	"github.com/pdprov/pdprov/internal/lab/wire"
)

// caller is a process that started a lab and can be killed.
type caller struct {
	dir     string
	cmd     *exec.Cmd
	state   wire.State
	network string // the lab's network namespace
}

func buildPdlab(t *testing.T) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "pdlab")
	if out, err := exec.Command("go", "build", "-o", bin, "github.com/pdprov/pdprov/cmd/pdlab").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v: %s", err, out)
	}
	return bin
}

// folder is a lab's folder whose name needs quoting and is longer than a socket's may be.
func folder(t *testing.T) string {
	t.Helper()
	return filepath.Join(t.TempDir(), "a folder "+strings.Repeat("x", 100))
}

// startCaller runs pdlab up and waits until it lists both hosts.
func startCaller(t *testing.T, bin, dir string, flags ...string) *caller {
	t.Helper()
	c := &caller{dir: dir}
	c.cmd = exec.Command(bin, append([]string{"up", "--dir", c.dir, "--hosts", "2"}, flags...)...)
	stdin, err := c.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stdin.Close() })
	stdout, err := c.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var stderr strings.Builder
	c.cmd.Stderr = &stderr
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(stdout)
	for lines.Scan() && !strings.HasPrefix(lines.Text(), "h2 ") {
	}
	text, err := os.ReadFile(filepath.Join(c.dir, wire.StateFile))
	if err != nil {
		t.Fatalf("%v; pdlab up said: %s", err, &stderr)
	}
	if err := json.Unmarshal(text, &c.state); err != nil {
		t.Fatal(err)
	}
	c.network, err = os.Readlink(fmt.Sprintf("/proc/%d/ns/net", c.state.Supervisor.Pid))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// leftovers lists what is still there of a lab, in words.
func (c *caller) leftovers() []string {
	var left []string
	if c.state.Supervisor.Alive() {
		left = append(left, "the supervisor")
	}
	namespaces, _ := filepath.Glob("/proc/[0-9]*/ns/net")
	for _, path := range namespaces {
		if ns, _ := os.Readlink(path); ns == c.network {
			left = append(left, "a process in its network: "+path)
		}
	}
	mounts, _ := filepath.Glob("/proc/[0-9]*/mountinfo")
	for _, path := range mounts {
		if text, _ := os.ReadFile(path); strings.Contains(string(text), strings.ReplaceAll(c.dir, " ", `\040`)) {
			left = append(left, "a mount: "+path)
		}
	}
	return append(left, c.files()...)
}

func (c *caller) files() []string {
	var left []string
	_ = filepath.WalkDir("/sys/fs/cgroup", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == c.state.Cgroup {
			left = append(left, path)
		}
		return nil
	})
	if _, err := os.Lstat(c.dir); err == nil {
		left = append(left, c.dir)
	}
	return left
}

// waitEmpty gives the kernel time; the limit is no measure.
func (c *caller) waitEmpty(t *testing.T) {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		left := c.leftovers()
		if len(left) == 0 {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("left behind: %s", strings.Join(left, ", "))
		}
	}
}

func TestNothingStaysWhenTheCallerIsKilled(t *testing.T) {
	lab.Require(t)
	c := startCaller(t, buildPdlab(t), folder(t), "--until-stdin-closes")
	if left := c.leftovers(); len(left) < 6 {
		t.Fatalf("the test looks at the wrong places, it sees only: %q", left)
	}
	if err := c.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = c.cmd.Wait()
	c.waitEmpty(t)
}

// pdlab up without a flag outlives its process. When its supervisor is killed, no
// process and no mount stays; files and control groups are cleared by the next up or down.
func TestLabWhoseSupervisorIsKilled(t *testing.T) {
	lab.Require(t)
	bin := buildPdlab(t)
	c := startCaller(t, bin, folder(t))
	if err := c.cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(bin, "up", "--dir", c.dir).CombinedOutput(); err == nil || !strings.Contains(string(out), "already up") {
		t.Errorf("a second lab in the same folder: %v: %s", err, out)
	}
	exit := exec.Command(bin, "exec", "--dir", c.dir, "h2", "sh", "-c", "exit 5")
	if out, _ := exit.CombinedOutput(); exit.ProcessState.ExitCode() != 5 {
		t.Errorf("pdlab exec: %v: %s", exit.ProcessState, out)
	}
	if err := syscall.Kill(c.state.Supervisor.Pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	again := startCaller(t, bin, c.dir)
	if err := again.cmd.Wait(); err != nil {
		t.Fatalf("up in the folder of a dead lab: %v", err)
	}
	if out, err := exec.Command(bin, "down", "--dir", c.dir).CombinedOutput(); err != nil {
		t.Fatalf("down: %v: %s", err, out)
	}
	c.waitEmpty(t)
	again.waitEmpty(t)
}
