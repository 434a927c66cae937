package ssh_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pdprov/pdprov/internal/lab"
	"github.com/pdprov/pdprov/remote"
	"github.com/pdprov/pdprov/remote/ssh"
)

const password = ` -n 'p"w' $x \ ü% `

func labHost(t *testing.T) (*lab.Lab, *lab.Host) {
	t.Helper()
	l := lab.ForTest(t, 1)
	home(t)
	h := l.Host("h1")
	for _, u := range []lab.User{
		{Name: "fishy", Shell: "/usr/bin/fish", Sudo: lab.FreeSudo},
		{Name: "tee", Shell: "/usr/bin/tcsh", Sudo: lab.PasswordSudo, Password: password},
		{Name: "noisy", Shell: "/bin/bash", Sudo: lab.PasswordSudo, Password: password},
		{Name: "plain", Shell: "/bin/sh"},
		{Name: "secret", Shell: "/bin/sh", Password: password},
		{Name: "nobash", Shell: "/usr/sbin/nologin", Sudo: lab.FreeSudo},
		{Name: "terminal", Shell: "/bin/bash", Sudo: lab.FreeSudo},
		{Name: "pty", Shell: "/bin/bash", Sudo: lab.PasswordSudo, Password: password},
	} {
		if err := h.AddUser(t.Context(), u); err != nil {
			t.Fatal(err)
		}
	}
	shell(t, h, `set -e
printf '%s\n' 'echo pdprov-start; echo noise >&2; export LANG=de_DE.UTF-8 LC_ALL=de_DE.UTF-8' | tee /home/noisy/.bashrc /home/fishy/.profile > /dev/null
echo 'Defaults:terminal requiretty' > /etc/sudoers.d/a-terminal
echo 'Defaults:pty use_pty, log_input, log_output' > /etc/sudoers.d/a-pty
chmod 0440 /etc/sudoers.d/a-*`)
	return l, h
}

func shell(t *testing.T, h *lab.Host, script string) string {
	t.Helper()
	out, err := h.Exec(t.Context(), "/bin/sh", "-c", script)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// as connects as a user with sudo; secret "" means that no password can be given.
func as(t *testing.T, l *lab.Lab, user, secret string) (remote.Host, *atomic.Int32) {
	t.Helper()
	asked := &atomic.Int32{}
	o := ssh.Options{ConfigFile: l.SSHConfig(), DialContext: l.DialContext}
	if secret != "" {
		o.SudoPassword = func(string) (string, error) { asked.Add(1); return secret, nil }
	}
	h, err := dialBox(t, o, ssh.Target{Name: "gpu1", Address: "h1", User: user, Sudo: true})
	if err != nil {
		t.Fatal(err)
	}
	return h, asked
}

func TestSudo(t *testing.T) {
	l, h := labHost(t)
	for _, tt := range []struct {
		user, password string
		asked          int32
	}{
		{"root", "", 0},
		{"root", password, 0},
		{"fishy", "", 0},
		{"fishy", password, 0},
		{"tee", password, 1},
		{"noisy", password, 1},
		{"pty", password, 1},
	} {
		t.Run(tt.user+" "+tt.password, func(t *testing.T) {
			h, asked := as(t, l, tt.user, tt.password)
			r := run(t, h, remote.Command{Script: "id -u; echo $LC_ALL; echo err >&2; cat; exit 5", Stdin: strings.NewReader("in'put\x00")})
			if string(r.Stdout) != "0\nC\nin'put\x00" || string(r.Stderr) != "err\n" || r.Exit != 5 {
				t.Errorf("got %s", text(r))
			}
			if asked.Load() != tt.asked {
				t.Errorf("the password was asked for %d times, want %d", asked.Load(), tt.asked)
			}
			in := strings.Repeat("0123456789abcdef", 1<<16)
			says(t, h, "x='"+in+"'\necho ${#x}", fmt.Sprintln(len(in)))
		})
	}
	refusals(t, l, h)
}

func refusals(t *testing.T, l *lab.Lab, h *lab.Host) {
	for _, tt := range []struct{ user, password, says string }{
		{"plain", "", "--ask-sudo-pass"},
		{"tee", "", "--ask-sudo-pass"},
		{"tee", "wrong", "did not accept the password"},
		{"noisy", "-S", "did not accept the password"},
		{"secret", password, "sudoers"},
		{"terminal", "", "requiretty"},
	} {
		t.Run("refused "+tt.user+" "+tt.password, func(t *testing.T) {
			c, asked := as(t, l, tt.user, tt.password)
			var wg sync.WaitGroup
			for range 4 {
				wg.Go(func() {
					_, err := c.Run(t.Context(), remote.Command{Script: "id -u"})
					refused(t, err, remote.SudoDenied, tt.says)
				})
			}
			wg.Wait()
			if n := asked.Load(); n > 1 {
				t.Errorf("the password was given %d times", n)
			}
		})
	}
	t.Run("sudo asks something else", func(t *testing.T) {
		shell(t, h, `printf '#!/bin/sh\nsleep 20\n' > /root/token; chmod 755 /root/token
cp /etc/pam.d/sudo /root/pam; (echo 'auth required pam_exec.so /root/token'; cat /root/pam) > /etc/pam.d/sudo`)
		defer shell(t, h, "cp /root/pam /etc/pam.d/sudo")
		c, err := dialBox(t, ssh.Options{
			ConfigFile: l.SSHConfig(), DialContext: l.DialContext, HandshakeTimeout: 2 * time.Second,
			SudoPassword: func(string) (string, error) { return password, nil },
		}, ssh.Target{Name: "gpu1", Address: "h1", User: "tee", Sudo: true})
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.Run(t.Context(), remote.Command{Script: "true"})
		refused(t, err, remote.SudoDenied, "does not go on")
	})
	t.Run("no password was given", func(t *testing.T) {
		c, err := dialBox(t, ssh.Options{
			ConfigFile: l.SSHConfig(), DialContext: l.DialContext, HandshakeTimeout: time.Second,
			SudoPassword: func(string) (string, error) {
				time.Sleep(1500 * time.Millisecond) // longer than the handshake may take
				return "", errors.New("the person went away")
			},
		}, ssh.Target{Name: "gpu1", Address: "h1", User: "tee", Sudo: true})
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.Run(t.Context(), remote.Command{Script: "true"})
		refused(t, err, remote.SudoDenied, "the person went away")
	})
	t.Run("no shell", func(t *testing.T) {
		c, _ := as(t, l, "nobash", "")
		_, err := c.Run(t.Context(), remote.Command{Script: "true"})
		refused(t, err, remote.NoShell, "not available", "nobash@")
	})
	t.Run("in no argv", func(t *testing.T) {
		c, _ := as(t, l, "tee", password)
		run(t, c, remote.Command{Script: "sudo_user=$SUDO_USER; cat /proc/[0-9]*/cmdline > /root/argv"})
		if argv := shell(t, h, "tr '\\0' ' ' < /root/argv"); strings.Contains(argv, "p\"w") || strings.Contains(argv, "sudo_user") {
			t.Errorf("the password or the script is in an argv:\n%s", argv)
		} else if !strings.Contains(argv, "sudo -S") {
			t.Errorf("sudo is not among the processes:\n%s", argv)
		}
	})
	t.Run("sudo is missing", func(t *testing.T) {
		c, _ := as(t, l, "fishy", "")
		shell(t, h, "mv /usr/bin/sudo /usr/bin/not-sudo")
		_, err := c.Run(t.Context(), remote.Command{Script: "true"})
		refused(t, err, remote.SudoDenied, "not installed")
	})
}

func TestRebuiltHost(t *testing.T) {
	l := lab.ForTest(t, 1)
	home(t)
	c, _ := as(t, l, "root", "")
	says(t, c, "echo ok", "ok\n")
	if err := l.Host("h1").Reimage(); err != nil {
		t.Fatal(err)
	}
	_, err := c.Run(t.Context(), remote.Command{Script: "true"})
	refused(t, err, remote.HostKeyChanged, "ssh-keygen -R", l.KnownHosts()+":1")
	if err := l.Host("h1").Trust(); err != nil {
		t.Fatal(err)
	}
	says(t, c, "echo ok", "ok\n")
}
