package ssh_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pdprov/pdprov/remote"
	"github.com/pdprov/pdprov/remote/ssh"
)

// server is a real sshd on a loopback port, with keys and files of its own.
type server struct {
	dir  string
	port int
}

const sshdPath = "/usr/sbin/sshd"

// startServer starts an sshd; settings are lines of its sshd_config, read first.
func startServer(t *testing.T, settings ...string) *server {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("sshd can log in root only when it runs as root")
	}
	if _, err := os.Stat(sshdPath); err != nil {
		t.Skip("no sshd here: ", err)
	}
	s := &server{dir: home(t), port: freePort(t)}
	os.MkdirAll("/run/sshd", 0o755)
	keygen(t, "-q", "-N", "", "-t", "ed25519", "-f", s.path("host_ed25519"))
	keygen(t, "-q", "-N", "", "-t", "rsa", "-b", "2048", "-f", s.path("host_rsa")) // small, to be quick
	keygen(t, "-q", "-N", "", "-t", "ed25519", "-f", s.path("id"))
	copyFile(t, s.path("id.pub"), s.path("authorized"))
	s.start(t, settings)
	return s
}

func (s *server) path(name string) string { return filepath.Join(s.dir, name) }

func (s *server) start(t *testing.T, settings []string) {
	t.Helper()
	text := strings.Join(append(settings,
		"Port "+fmt.Sprint(s.port), "ListenAddress 127.0.0.1", "PidFile none", "UsePAM no", "StrictModes no",
		"PermitRootLogin yes", "PasswordAuthentication no", "AuthorizedKeysFile "+s.path("authorized"),
		"HostKey "+s.path("host_ed25519"), "HostKey "+s.path("host_rsa"), "Subsystem sftp internal-sftp", ""), "\n")
	write(t, s.path("sshd_config"), text)
	log, err := os.Create(s.path("log"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(sshdPath, "-D", "-e", "-f", s.path("sshd_config"))
	cmd.Stderr = log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
		log.Close()
		if t.Failed() {
			said, _ := os.ReadFile(s.path("log"))
			t.Logf("sshd said:\n%s", said)
		}
	})
	waitPort(t, s.port)
}

// trust writes a known_hosts line of one kind of the server's keys.
func (s *server) trust(t *testing.T, kind string) {
	t.Helper()
	write(t, s.path("known"), fmt.Sprintf("[127.0.0.1]:%d %s", s.port, read(t, s.path("host_"+kind+".pub"))))
}

// configure writes an SSH configuration in which "box" is the server. extra comes
// first, so that it wins.
func (s *server) configure(t *testing.T, extra ...string) string {
	t.Helper()
	file := s.path("config")
	write(t, file, strings.Join(extra, "\n")+fmt.Sprintf(`
Host box
  HostName 127.0.0.1
  Port %d
  User root
  IdentityFile %s
  UserKnownHostsFile %s
`, s.port, s.path("id"), s.path("known")))
	return file
}

// dial connects to "box" and closes it with the test.
func (s *server) dial(t *testing.T, o ssh.Options, extra ...string) remote.Host {
	t.Helper()
	h, err := s.try(t, o, extra...)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func (s *server) try(t *testing.T, o ssh.Options, extra ...string) (remote.Host, error) {
	t.Helper()
	o.ConfigFile = s.configure(t, extra...)
	return dialBox(t, o, ssh.Target{Name: "gpu1", Address: "box"})
}

func dialBox(t *testing.T, o ssh.Options, target ssh.Target) (remote.Host, error) {
	t.Helper()
	h, err := ssh.NewDialer(o).Dial(t.Context(), target)
	if err == nil {
		t.Cleanup(func() { h.Close() })
	}
	return h, err
}

func run(t *testing.T, h remote.Host, cmd remote.Command) remote.Result {
	t.Helper()
	r, err := h.Run(t.Context(), cmd)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// says runs a script and compares its output.
func says(t *testing.T, h remote.Host, script, want string) {
	t.Helper()
	if r := run(t, h, remote.Command{Script: script}); string(r.Stdout) != want || r.Exit != 0 {
		t.Errorf("%s: got %q and status %d (%s), want %q", script, r.Stdout, r.Exit, r.Stderr, want)
	}
}

// refused checks a *remote.ConnectError: its reason, and that its text has every part.
func refused(t *testing.T, err error, reason remote.Reason, parts ...string) {
	t.Helper()
	var e *remote.ConnectError
	if !errors.As(err, &e) {
		t.Fatalf("got %v, want a *remote.ConnectError", err)
	}
	if e.Reason != reason || e.Host != "gpu1" || e.Detail == "" || e.Remedy == "" {
		t.Errorf("got %+v, want reason %q, host gpu1, a detail and a remedy", *e, reason)
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q is missing in:\n%v", part, err)
		}
	}
	if n := strings.Count(err.Error(), "\n"); n > 3 {
		t.Errorf("%d lines are too many:\n%v", n+1, err)
	}
	t.Logf("%v", err)
}

// home gives the test a home folder that is empty, and no agent.
func home(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/var/tmp", "pdprov-ssh-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	t.Setenv("HOME", dir)
	t.Setenv("SSH_AUTH_SOCK", "")
	return dir
}

func keygen(t *testing.T, args ...string) {
	t.Helper()
	if out, err := exec.Command("ssh-keygen", args...).CombinedOutput(); err != nil {
		t.Fatalf("ssh-keygen: %v: %s", err, out)
	}
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

func waitPort(t *testing.T, port int) {
	t.Helper()
	var d net.Dialer
	for range 200 {
		if c, err := d.DialContext(context.Background(), "tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			c.Close()
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatalf("nothing listens on port %d", port)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	write(t, to, read(t, from))
}
