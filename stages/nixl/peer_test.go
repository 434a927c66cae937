package nixl

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// listener is the program as another host runs it.
type listener struct {
	cmd    *exec.Cmd
	port   int
	result string
	lines  chan string
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

func writeRequest(t *testing.T, path string, r request) {
	t.Helper()
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func peerRequest(t *testing.T, dir, mode string, port int) request {
	t.Helper()
	r := trial{mode: mode}.request(dir)
	r.Runs = []run{{Name: "peer.dram", Title: "DRAM to 127.0.0.1", Memory: dram, Peer: true}}
	r.Peer, r.For = &place{Stage: "nixl.decode", Address: "127.0.0.1", Port: port}, "nixl.prefill of h1"
	return r
}

func startListener(t *testing.T, mode, secret string) listener {
	t.Helper()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 is not installed")
	}
	dir := t.TempDir()
	l := listener{port: freePort(t), result: filepath.Join(dir, "served.json"), lines: make(chan string, 100)}
	writeRequest(t, filepath.Join(dir, "request.json"), peerRequest(t, dir, mode, l.port))
	l.cmd = exec.Command("python3", "-B", "program/prove.py", "listen", filepath.Join(dir, "request.json"), l.result)
	l.cmd.Env = append(os.Environ(), "PDPROV_PARTNER="+secret)
	out, err := l.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := l.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.cmd.Process.Kill(); l.cmd.Wait() })
	go func() {
		for s := bufio.NewScanner(out); s.Scan(); {
			l.lines <- s.Text()
		}
		close(l.lines)
	}()
	return l
}

// prove runs the program against a listener.
func proveTo(t *testing.T, mode, secret string, port int) (printed string, exit int) {
	t.Helper()
	dir := t.TempDir()
	writeRequest(t, filepath.Join(dir, "request.json"), peerRequest(t, dir, mode, port))
	cmd := exec.Command("python3", "-B", "program/prove.py", "prove", filepath.Join(dir, "request.json"), filepath.Join(dir, "result.json"))
	cmd.Env = append(os.Environ(), "PDPROV_PARTNER="+secret)
	out, _ := cmd.CombinedOutput()
	return string(out), cmd.ProcessState.ExitCode()
}

func TestPeerMovesBytes(t *testing.T) {
	l := startListener(t, "", "s3cret")
	printed, exit := proveTo(t, "", "s3cret", l.port)
	if exit != 0 || strings.Count(printed, "every byte compared") != 2 {
		t.Fatalf("status %d\n%s", exit, printed)
	}
	var said []string
	for line := range l.lines { // it ends when all is served
		said = append(said, line)
	}
	if all := strings.Join(said, "\n"); !strings.Contains(all, "3 WRITEs arrived whole, 3 READs were filled") {
		t.Errorf("the listener said %s", all)
	}
	served, err := os.ReadFile(l.result)
	if err != nil || !strings.Contains(string(served), `"checked": 3`) || strings.Contains(string(served)+printed, "s3cret") {
		t.Errorf("%v %s", err, served)
	}
}

func TestPeerFails(t *testing.T) {
	for _, c := range []struct{ name, here, there, secret, says string }{
		{"another secret", "", "", "wrong", "the other side closed the connection"},
		{"fault there", "", "no plugin", "s3cret", "the other side: UCX is not among the plugins that NIXL found (POSIX)"},
		{"peer lost", "peer lost", "", "s3cret", "NIXL_ERR_REMOTE_DISCONNECT"},
		{"peer stands still", "stands still", "", "s3cret", "was not done after 2 s: the peer does not answer"},
		{"crash there", "", "segfault", "s3cret", "the other side closed the connection"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := startListener(t, c.there, "s3cret")
			if printed, exit := proveTo(t, c.here, c.secret, l.port); exit != 1 || !strings.Contains(printed, "DRAM to 127.0.0.1 WRITE: failed: ") || !strings.Contains(printed, c.says) {
				t.Errorf("status %d\n%s", exit, printed)
			}
		})
	}
}

func TestPortIsTaken(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 is not installed")
	}
	dir := t.TempDir()
	writeRequest(t, filepath.Join(dir, "request.json"), peerRequest(t, dir, "", taken.Addr().(*net.TCPAddr).Port))
	out, err := exec.Command("python3", "-B", "program/prove.py", "listen", filepath.Join(dir, "request.json"), filepath.Join(dir, "served.json")).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "cannot listen on 127.0.0.1 port ") || !strings.Contains(string(out), "in use. Set address") {
		t.Errorf("%v %s", err, out)
	}
}

func TestNoListener(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 is not installed")
	}
	port, started := freePort(t), time.Now()
	printed, exit := proveTo(t, "", "s3cret", port)
	want := fmt.Sprintf("no connection to the listener of nixl.decode at 127.0.0.1 port %d", port)
	if took := time.Since(started); exit != 1 || !strings.Contains(printed, want) || took > 30*time.Second {
		t.Errorf("status %d after %s\n%s", exit, took, printed)
	}
}
