package ssh_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/pdprov/pdprov/remote"
	"github.com/pdprov/pdprov/remote/ssh"
)

func TestConfigurationThatReachesTheServer(t *testing.T) {
	s := startServer(t)
	s.trust(t, "ed25519")
	good := fmt.Sprintf("HostName 127.0.0.1\nPort %d\nUser root\nIdentityFile %s\nUserKnownHostsFile %s\n", s.port, s.path("id"), s.path("known"))
	os.Mkdir(s.path(".ssh"), 0o700)
	write(t, s.path("good"), good)
	write(t, s.path(".ssh/part.conf"), good)
	bad := "Port 1\n"
	tests := map[string]string{
		"plain":              "Host gpu-1\n" + good,
		"patterns":           "Host other gpu-?\n" + good,
		"tab and equals":     "Host\tother\tgpu-1\n" + strings.ReplaceAll(good, " ", "\t=\t"),
		"quotes and comment": "Host \"gpu-1\" # mine\n" + strings.ReplaceAll(good, s.path("id"), `"`+s.path("id")+`"`),
		"negation":           "Host gpu-* !gpu-1\n" + bad + "Host gpu-1\n" + good,
		"? is one character": "Host gpu-1?\n" + bad + "Host *\n" + good,
		"first one wins":     good + "Host *\n" + bad,
		"Include":            "Include " + s.path("goo?") + "\nHost *\n" + bad,
		"Include in .ssh":    "Include *.conf",
		"Include in a block": "Host other\nInclude " + s.path("nothing") + "\nHost gpu-1\nInclude ~/good\nHost *\n" + bad,
		"not included":       "Host other\nInclude ~/good2\nHost gpu-1\n" + good,
		"Match":              "Match host gpu-1 user other\n" + bad + "Match originalhost gpu-*,x !localuser nobody\n" + good,
		"Match all":          "Match all\n" + good,
		"Match exec":         "Match exec \"true\"\n" + bad + "Host *\n" + good,
		"home":               strings.ReplaceAll(good, s.dir, "~"),
		"tokens":             strings.ReplaceAll(good, s.dir, "%d"),
		"HostName with %h":   "Host gpu-1\nHostName 127.0.0.1\nHostKeyAlias known-%h\n" + good,
	}
	write(t, s.path("good2"), bad)
	delete(tests, "HostName with %h")
	for name, config := range tests {
		t.Run(name, func(t *testing.T) {
			write(t, s.path("config"), config)
			var warned []string
			h, err := dialBox(t, ssh.Options{ConfigFile: s.path("config"), Log: func(w string) { warned = append(warned, w) }}, ssh.Target{Name: "gpu1", Address: "gpu-1"})
			if err != nil {
				t.Fatal(err)
			}
			says(t, h, "echo ok", "ok\n")
			if (len(warned) > 0) != (name == "Match exec") {
				t.Errorf("warnings %q", warned)
			}
		})
	}
}

func TestTargetOverridesTheFile(t *testing.T) {
	s := startServer(t)
	s.trust(t, "ed25519")
	config := s.configure(t, "User nobody-here", "Port 1", "IdentityFile "+s.path("missing"))
	h, err := dialBox(t, ssh.Options{ConfigFile: config}, ssh.Target{Name: "gpu1", Address: "box", User: "root", Port: s.port, Identity: s.path("id")})
	if err != nil {
		t.Fatal(err)
	}
	says(t, h, "echo ok", "ok\n")
}

func TestOwnConfigurationIsReadWithoutAFile(t *testing.T) {
	s := startServer(t)
	s.trust(t, "ed25519")
	os.Mkdir(s.path(".ssh"), 0o700)
	os.Rename(s.configure(t), s.path(".ssh/config"))
	h, err := dialBox(t, ssh.Options{}, ssh.Target{Name: "gpu1", Address: "box"})
	if err != nil {
		t.Fatal(err)
	}
	says(t, h, "echo ok", "ok\n")
}

func TestBadConfiguration(t *testing.T) {
	dir := home(t)
	file := dir + "/config"
	write(t, dir+"/included", "\n\nPort many\n")
	write(t, dir+"/loop", "Include "+dir+"/loop\n")
	tests := map[string]struct{ config, says string }{
		"port":           {"Host *\n  Port ssh\n", file + ":2"},
		"no value":       {"Host *\nUser\n", file + ":2"},
		"quote":          {"Host *\n\nUser \"x\n", file + ":3"},
		"yes or no":      {"IdentitiesOnly perhaps\n", file + ":1"},
		"strict":         {"StrictHostKeyChecking maybe\n", file + ":1"},
		"time":           {"ConnectTimeout soon\n", file + ":1"},
		"token":          {"IdentityFile ~/%Q\n", file + ":1"},
		"included":       {"Include " + dir + "/included\n", dir + "/included:3"},
		"loop":           {"Include " + dir + "/loop\n", "deeper than"},
		"Match":          {"Match user\n", file + ":1"},
		"jump":           {"ProxyJump @:22\n", file + ":1"},
		"jump to itself": {"Host *\nProxyJump relay\n", "relay:22 -> relay:22"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			write(t, file, tt.config)
			_, err := dialBox(t, ssh.Options{ConfigFile: file}, ssh.Target{Name: "gpu1", Address: "box"})
			refused(t, err, remote.BadSetting, tt.says)
		})
	}
	_, err := dialBox(t, ssh.Options{ConfigFile: dir + "/absent"}, ssh.Target{Name: "gpu1", Address: "box"})
	refused(t, err, remote.BadSetting, "absent")
}

// startPair starts a jump host and a server behind it, in one folder and configuration.
func startPair(t *testing.T, settings ...string) (s, jump *server, config string) {
	t.Helper()
	jump = startServer(t, settings...)
	s = startServer(t)
	s.trust(t, "ed25519")
	jump.trust(t, "ed25519")
	copyFile(t, s.path("id.pub"), jump.path("authorized"))
	config = fmt.Sprintf("Host relay\nHostName 127.0.0.1\nPort %d\nUser root\nIdentityFile %s\nUserKnownHostsFile %s\n",
		jump.port, s.path("id"), jump.path("known"))
	return s, jump, config
}

func TestProxyJump(t *testing.T) {
	s, jump, config := startPair(t)
	s.connects(t, ssh.Options{}, config+"Host box\nProxyJump relay")
	s.connects(t, ssh.Options{}, config+fmt.Sprintf("UserKnownHostsFile %s\nHost box\nProxyJump relay,root@box-2:%d\nHost box-2\nHostName 127.0.0.1\nIdentityFile %s\nUserKnownHostsFile %s\n",
		jump.path("known"), s.port, s.path("id"), s.path("known")))
	os.Remove(jump.path("known"))
	_, err := s.try(t, ssh.Options{}, config+"Host box\nProxyJump relay")
	refused(t, err, remote.HostKeyUnknown, "jump host relay", fmt.Sprint(jump.port))
}

func TestWayBehindAJumpHost(t *testing.T) {
	s, _, config := startPair(t)
	_, err := s.try(t, ssh.Options{}, config+"Host box\nProxyJump relay\nPort "+fmt.Sprint(freePort(t)))
	refused(t, err, remote.Refused, "jump host")
	s, _, config = startPair(t, "AllowTcpForwarding no")
	_, err = s.try(t, ssh.Options{}, config+"Host box\nProxyJump relay")
	refused(t, err, remote.Refused, "AllowTcpForwarding")
}

func TestSilentHostBehindAJumpHost(t *testing.T) {
	s, _, config := startPair(t)
	port := silentPort(t)
	_, err := s.try(t, ssh.Options{HandshakeTimeout: 500 * time.Millisecond}, config+fmt.Sprintf("Host box\nProxyJump relay\nPort %d", port))
	refused(t, err, remote.TimedOut, "handshake")
}

func TestProxyCommand(t *testing.T) {
	lookPath(t, "busybox")
	s := startServer(t)
	s.trust(t, "ed25519")
	s.connects(t, ssh.Options{}, "Host box", "ProxyCommand busybox nc %h %p")
	_, err := s.try(t, ssh.Options{}, "Host box", "ProxyCommand false")
	refused(t, err, remote.Unreachable)
}
