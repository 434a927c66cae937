package ssh_test

import (
	"errors"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/pdprov/pdprov/remote"
	"github.com/pdprov/pdprov/remote/ssh"
)

// connects dials and runs one script.
func (s *server) connects(t *testing.T, o ssh.Options, extra ...string) {
	t.Helper()
	says(t, s.dial(t, o, extra...), "echo ok", "ok\n")
}

// encrypt gives the server's client key a passphrase; form is "" or "PEM".
func (s *server) encrypt(t *testing.T, passphrase, form string) {
	t.Helper()
	if form == "PEM" { // ed25519 has no such form
		os.Remove(s.path("id"))
		keygen(t, "-q", "-t", "rsa", "-m", "PEM", "-N", passphrase, "-f", s.path("id"))
		copyFile(t, s.path("id.pub"), s.path("authorized"))
	} else {
		keygen(t, "-q", "-p", "-P", "", "-N", passphrase, "-f", s.path("id"))
	}
	os.Remove(s.path("id.pub"))
}

func TestEncryptedKeyIsAskedForOnceInARun(t *testing.T) {
	for _, form := range []string{"", "PEM"} {
		t.Run(form, func(t *testing.T) {
			s := startServer(t)
			s.trust(t, "ed25519")
			s.encrypt(t, "a \"b\" ü", form)
			var asked atomic.Int32
			d := ssh.NewDialer(ssh.Options{ConfigFile: s.configure(t), Ask: func(string) (string, error) {
				asked.Add(1)
				return "a \"b\" ü", nil
			}})
			var wg sync.WaitGroup
			for range 4 {
				wg.Go(func() {
					h, err := d.Dial(t.Context(), ssh.Target{Name: "gpu1", Address: "box"})
					if err != nil {
						t.Error(err)
						return
					}
					h.Close()
				})
			}
			wg.Wait()
			if n := asked.Load(); n != 1 {
				t.Errorf("asked %d times", n)
			}
		})
	}
}

func TestEncryptedKeyThatIsNotWantedIsNotAskedFor(t *testing.T) {
	s := startServer(t)
	s.trust(t, "ed25519")
	keygen(t, "-q", "-t", "ed25519", "-N", "secret", "-f", s.path("other"))
	s.connects(t, ssh.Options{Ask: func(string) (string, error) {
		t.Error("asked for a key that the host does not want")
		return "", errors.New("nobody there")
	}}, "IdentityFile "+s.path("other"))
}

func TestEncryptedKeyThatCannotBeUnlocked(t *testing.T) {
	s := startServer(t)
	s.trust(t, "ed25519")
	s.encrypt(t, "right", "")
	_, err := s.try(t, ssh.Options{})
	refused(t, err, remote.AuthFailed, "ssh-add "+s.path("id"))
	asked := 0
	_, err = s.try(t, ssh.Options{Ask: func(string) (string, error) { asked++; return "wrong", nil }})
	refused(t, err, remote.AuthFailed, "wrong passphrase", s.path("id"))
	if asked != 3 {
		t.Errorf("asked %d times, want 3", asked)
	}
}

func TestWrongPassphraseLeavesTheOtherKeys(t *testing.T) {
	s := startServer(t)
	s.trust(t, "ed25519")
	keygen(t, "-q", "-t", "ed25519", "-N", "secret", "-f", s.path("first"))
	write(t, s.path("authorized"), read(t, s.path("first.pub"))+read(t, s.path("id.pub")))
	s.connects(t, ssh.Options{Ask: func(string) (string, error) { return "wrong", nil }}, "IdentityFile "+s.path("first"))
}

func TestAuthFailedNamesUserAndKeys(t *testing.T) {
	s := startServer(t)
	s.trust(t, "ed25519")
	write(t, s.path("authorized"), "")
	_, err := s.try(t, ssh.Options{})
	refused(t, err, remote.AuthFailed, "user root", s.path("id"), "ssh-copy-id")
	_, err = s.try(t, ssh.Options{}, "User nobody-here")
	refused(t, err, remote.AuthFailed, "user nobody-here")
	os.Remove(s.path("id"))
	_, err = s.try(t, ssh.Options{})
	refused(t, err, remote.AuthFailed, "no key to offer")
}

func TestKeyThatOthersCanRead(t *testing.T) {
	s := startServer(t)
	s.trust(t, "ed25519")
	os.Chmod(s.path("id"), 0o644)
	_, err := s.try(t, ssh.Options{})
	refused(t, err, remote.AuthFailed, "chmod 600 "+s.path("id"))
	_, err = dialBox(t, ssh.Options{ConfigFile: s.configure(t)}, ssh.Target{Name: "gpu1", Address: "box", Identity: s.path("id")})
	refused(t, err, remote.BadSetting, "chmod 600 "+s.path("id"))
}

func TestIdentityOfThePlan(t *testing.T) {
	s := startServer(t)
	s.trust(t, "ed25519")
	for i := range 8 { // more keys than sshd lets one try
		keygen(t, "-q", "-t", "ed25519", "-N", "", "-f", s.path("many"+string(rune('0'+i))))
	}
	config := s.configure(t, "IdentityFile "+s.path("many0"), "IdentityFile "+s.path("many1"), "IdentityFile "+s.path("many2"),
		"IdentityFile "+s.path("many3"), "IdentityFile "+s.path("many4"), "IdentityFile "+s.path("many5"), "IdentityFile "+s.path("many6"))
	h, err := dialBox(t, ssh.Options{ConfigFile: config}, ssh.Target{Name: "gpu1", Address: "box", Identity: "~/id"})
	if err != nil {
		t.Fatal(err)
	}
	says(t, h, "echo ok", "ok\n")
	_, err = dialBox(t, ssh.Options{ConfigFile: config}, ssh.Target{Name: "gpu1", Address: "box", Identity: "~/missing"})
	refused(t, err, remote.BadSetting, "missing")
	_, err = dialBox(t, ssh.Options{ConfigFile: config}, ssh.Target{Name: "gpu1", Address: "box"})
	refused(t, err, remote.AuthFailed, "was not tried")
}

func TestDefaultIdentity(t *testing.T) {
	s := startServer(t)
	s.trust(t, "ed25519")
	os.Mkdir(s.path(".ssh"), 0o700)
	copyFile(t, s.path("id"), s.path(".ssh/id_ed25519"))
	write(t, s.path("config"), "Host *\nUserKnownHostsFile ~/known\n")
	h, err := dialBox(t, ssh.Options{ConfigFile: s.path("config")}, ssh.Target{Name: "gpu1", Address: "127.0.0.1", User: "root", Port: s.port})
	if err != nil {
		t.Fatal(err)
	}
	says(t, h, "echo ok", "ok\n")
}

// startAgent starts a real ssh-agent that holds keys.
func startAgent(t *testing.T, s *server, keys ...string) {
	t.Helper()
	lookPath(t, "ssh-agent")
	socket := s.path("agent")
	cmd := exec.Command("ssh-agent", "-D", "-a", socket)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	t.Setenv("SSH_AUTH_SOCK", socket)
	for range 200 {
		if exec.Command("ssh-add", "-l").Run() != nil {
			if _, err := os.Stat(socket); err == nil {
				break
			}
		}
	}
	for _, key := range keys {
		if out, err := exec.Command("ssh-add", "-q", s.path(key)).CombinedOutput(); err != nil {
			t.Fatalf("ssh-add: %v: %s", err, out)
		}
	}
}

func TestAgent(t *testing.T) {
	s := startServer(t)
	s.trust(t, "ed25519")
	startAgent(t, s, "id")
	os.Remove(s.path("id"))
	s.connects(t, ssh.Options{})
	s.connects(t, ssh.Options{}, "IdentityFile "+s.path("id.pub"), "IdentitiesOnly yes")
	_, err := s.try(t, ssh.Options{}, "IdentitiesOnly yes")
	refused(t, err, remote.AuthFailed, "no key to offer")
	_, err = s.try(t, ssh.Options{}, "IdentityAgent none")
	refused(t, err, remote.AuthFailed, "no key to offer")
	t.Setenv("SSH_AUTH_SOCK", "")
	s.connects(t, ssh.Options{}, "IdentityAgent "+s.path("agent"))
}

func TestAgentHoldsTheKeyOfAnEncryptedFile(t *testing.T) {
	s := startServer(t)
	s.trust(t, "ed25519")
	startAgent(t, s, "id")
	s.encrypt(t, "secret", "")
	s.connects(t, ssh.Options{})
}

func TestAgentThatIsGone(t *testing.T) {
	s := startServer(t)
	s.trust(t, "ed25519")
	t.Setenv("SSH_AUTH_SOCK", s.path("nothing"))
	s.connects(t, ssh.Options{})
}

func TestUserCertificate(t *testing.T) {
	home := startServer(t) // for its folder
	keygen(t, "-q", "-t", "ed25519", "-N", "", "-f", home.path("ca"))
	s := startServer(t, "TrustedUserCAKeys "+home.path("ca.pub"))
	s.trust(t, "ed25519")
	write(t, s.path("authorized"), "")
	keygen(t, "-q", "-s", home.path("ca"), "-I", "test", "-n", "root", s.path("id.pub"))
	s.connects(t, ssh.Options{})
	os.Rename(s.path("id-cert.pub"), s.path("elsewhere"))
	s.connects(t, ssh.Options{}, "CertificateFile "+s.path("elsewhere"))
	_, err := s.try(t, ssh.Options{})
	refused(t, err, remote.AuthFailed)
}
