package ssh_test

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/pdprov/pdprov/remote"
	"github.com/pdprov/pdprov/remote/ssh"
)

// known is a known_hosts line for the server with a key file's public key.
func (s *server) known(t *testing.T, marker, name, key string) string {
	t.Helper()
	return strings.TrimSpace(marker+" "+name+" "+strings.Join(strings.Fields(read(t, s.path(key)))[:2], " ")) + "\n"
}

func (s *server) name() string { return fmt.Sprintf("[127.0.0.1]:%d", s.port) }

func TestKnownHostsThatFit(t *testing.T) {
	s := startServer(t)
	tests := map[string]func() string{
		"hashed": func() string {
			write(t, s.path("known"), s.known(t, "", s.name(), "host_ed25519.pub"))
			keygen(t, "-q", "-H", "-f", s.path("known"))
			return read(t, s.path("known"))
		},
		"other kind of key": func() string { return s.known(t, "", s.name(), "host_rsa.pub") },
		"without its port":  func() string { return s.known(t, "", "127.0.0.1", "host_ed25519.pub") },
		"pattern":           func() string { return s.known(t, "", "127.0.0.*,!x", "host_ed25519.pub") },
		"bad lines around it": func() string {
			return "nonsense\n\n# x\n" + s.known(t, "", s.name(), "host_rsa.pub") + "box ssh-rsa AAAA\n"
		},
	}
	for name, known := range tests {
		t.Run(name, func(t *testing.T) {
			write(t, s.path("known"), known())
			var mu sync.Mutex
			var warnings []string
			s.connects(t, ssh.Options{Log: func(w string) { mu.Lock(); warnings = append(warnings, w); mu.Unlock() }})
			want := 0
			if strings.Contains(name, "bad") {
				want = 2
			}
			if len(warnings) != want || want > 0 && !strings.Contains(warnings[0], s.path("known")+":1:") {
				t.Errorf("got warnings %q, want %d", warnings, want)
			}
		})
	}
}

func TestHostKeyUnknown(t *testing.T) {
	s := startServer(t)
	fingerprint := "SHA256:"
	_, err := s.try(t, ssh.Options{})
	refused(t, err, remote.HostKeyUnknown, fingerprint, "ssh-keyscan -p "+fmt.Sprint(s.port)+" 127.0.0.1", "--accept-new", s.name()[1:10])
	write(t, s.path("known"), "only nonsense here\n")
	_, err = s.try(t, ssh.Options{})
	refused(t, err, remote.HostKeyUnknown)
	keygen(t, "-q", "-t", "rsa", "-N", "", "-f", s.path("neighbour"))
	write(t, s.path("known"), s.known(t, "", "otherhost", "host_ed25519.pub")+s.known(t, "", "127.0.0.1", "neighbour.pub"))
	_, err = s.try(t, ssh.Options{}, "StrictHostKeyChecking ask")
	refused(t, err, remote.HostKeyUnknown)
}

func TestHostKeyChanged(t *testing.T) {
	s := startServer(t)
	keygen(t, "-q", "-t", "ed25519", "-N", "", "-f", s.path("older"))
	write(t, s.path("known"), "# first line\n"+s.known(t, "", s.name(), "older.pub"))
	for _, o := range []ssh.Options{{}, {AcceptNew: true}} {
		for _, strict := range []string{"yes", "no", "accept-new"} {
			_, err := s.try(t, o, "StrictHostKeyChecking "+strict)
			refused(t, err, remote.HostKeyChanged, s.path("known")+":2", "ssh-keygen -R '"+s.name()+"' -f "+s.path("known"), "SHA256:")
		}
	}
	keygen(t, "-R", s.name(), "-f", s.path("known"))
	_, err := s.try(t, ssh.Options{})
	refused(t, err, remote.HostKeyUnknown)
}

func TestOnlyAKindThatTheHostLacksIsKnown(t *testing.T) {
	s := startServer(t)
	keygen(t, "-q", "-t", "ecdsa", "-N", "", "-f", s.path("ecdsa"))
	write(t, s.path("known"), s.known(t, "", s.name(), "ecdsa.pub"))
	_, err := s.try(t, ssh.Options{AcceptNew: true})
	refused(t, err, remote.HostKeyChanged, s.path("known")+":1", "ssh-keygen -R")
}

func TestRevokedKey(t *testing.T) {
	s := startServer(t)
	write(t, s.path("known"), s.known(t, "", s.name(), "host_ed25519.pub")+s.known(t, "@revoked", "*", "host_ed25519.pub"))
	_, err := s.try(t, ssh.Options{AcceptNew: true})
	refused(t, err, remote.HostKeyChanged, s.path("known")+":2")
}

func TestHostCertificates(t *testing.T) {
	dir := startServer(t) // for its folder
	keygen(t, "-q", "-t", "ed25519", "-N", "", "-f", dir.path("ca"))
	keygen(t, "-q", "-t", "ed25519", "-N", "", "-f", dir.path("certified"))
	keygen(t, "-q", "-s", dir.path("ca"), "-I", "test", "-h", "-n", "127.0.0.1", dir.path("certified.pub"))
	s := startServer(t, "HostKey "+dir.path("certified"), "HostCertificate "+dir.path("certified-cert.pub"))
	authority := "@cert-authority %s " + read(t, dir.path("ca.pub"))
	write(t, s.path("known"), fmt.Sprintf(authority, s.name()))
	s.connects(t, ssh.Options{})
	write(t, s.path("known"), fmt.Sprintf(authority, "elsewhere"))
	_, err := s.try(t, ssh.Options{})
	refused(t, err, remote.HostKeyUnknown)
	s.connects(t, ssh.Options{}, "HostKeyAlias 127.0.0.1", "GlobalKnownHostsFile "+s.path("global"), "StrictHostKeyChecking accept-new")
	write(t, s.path("known"), "@cert-authority * "+read(t, s.path("id.pub")))
	_, err = s.try(t, ssh.Options{AcceptNew: true})
	refused(t, err, remote.HostKeyUnknown, "not accepted")
}

func TestAcceptNew(t *testing.T) {
	s := startServer(t)
	write(t, s.path("known"), "otherhost "+strings.TrimSpace(read(t, s.path("id.pub")))) // no end of line
	var mu sync.Mutex
	warnings := 0
	d := ssh.NewDialer(ssh.Options{ConfigFile: s.configure(t), AcceptNew: true, Log: func(string) { mu.Lock(); warnings++; mu.Unlock() }})
	var wg sync.WaitGroup
	for range 6 {
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
	if lines := strings.Split(strings.TrimSpace(read(t, s.path("known"))), "\n"); len(lines) != 2 || !strings.HasPrefix(lines[1], s.name()+" ") {
		t.Errorf("known_hosts is now\n%s", strings.Join(lines, "\n"))
	}
	if warnings != 1 {
		t.Errorf("the new key was told %d times", warnings)
	}
	s.connects(t, ssh.Options{})
}

func TestAcceptNewMakesAFileWithHashedNames(t *testing.T) {
	s := startServer(t)
	s.connects(t, ssh.Options{}, "StrictHostKeyChecking accept-new", "HashKnownHosts yes", "UserKnownHostsFile "+s.path("new/known"))
	if text := read(t, s.path("new/known")); !strings.HasPrefix(text, "|1|") || strings.Contains(text, "127.0.0.1") {
		t.Errorf("known_hosts is now %q", text)
	}
	if info, err := os.Stat(s.path("new")); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("its folder is %v, %v", info.Mode(), err)
	}
	s.connects(t, ssh.Options{}, "UserKnownHostsFile "+s.path("known")+" "+s.path("new/known"))
}
