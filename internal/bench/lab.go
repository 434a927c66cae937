package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// labHost is a lab of one host, driven through pdlab as a person would.
type labHost struct{ bin, dir string }

func (l labHost) lab(args ...string) *exec.Cmd {
	return exec.Command(filepath.Join(l.bin, "pdlab"), append([]string{args[0], "--dir", l.dir}, args[1:]...)...)
}

func (l labHost) do(args ...string) (string, error) {
	out, err := l.lab(args...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("pdlab %v: %w: %s", args, err, out)
	}
	return strings.TrimSpace(string(out)), nil
}

func (l labHost) up() error {
	_, err := l.do("up", "--hosts", "1")
	return err
}

// pdprov is the command line of pdprov with this lab's SSH configuration.
func (l labHost) pdprov(command string, args ...string) []string {
	config, _ := l.do("ssh-config")
	return append([]string{filepath.Join(l.bin, "pdprov"), command, "--ssh-config", config}, args...)
}

// command makes a command that runs in the lab's network, for each run anew.
func (l labHost) command(args ...string) func() *exec.Cmd {
	return func() *exec.Cmd { return l.lab(append([]string{"run"}, args...)...) }
}

func (l labHost) run(args ...string) error {
	cmd := l.command(args...)()
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%v: %w\n%s", args, err, out.String())
	}
	return nil
}

// dialling reads what a program without an SSH configuration needs from the lab's.
func (l labHost) dialling() (addr, key, knownHosts string, err error) {
	config, err := l.do("ssh-config")
	if err != nil {
		return "", "", "", err
	}
	out, err := exec.Command("ssh", "-G", "-F", config, "h1").Output()
	if err != nil {
		return "", "", "", err
	}
	get := func(name string) string {
		for _, line := range strings.Split(string(out), "\n") {
			if k, v, _ := strings.Cut(line, " "); k == name {
				return v
			}
		}
		return ""
	}
	return get("hostname") + ":" + get("port"), get("identityfile"), strings.Fields(get("userknownhostsfile"))[0], nil
}

// ansible writes an inventory and settings with everything on that makes it fast.
func (l labHost) ansible(dir, book string) (func() *exec.Cmd, error) {
	config, err := l.do("ssh-config")
	if err != nil {
		return nil, err
	}
	cfg, inventory := filepath.Join(dir, "ansible.cfg"), filepath.Join(dir, "inventory")
	text := "[defaults]\ninventory = " + inventory + "\ngathering = explicit\n[ssh_connection]\npipelining = True\n" +
		"ssh_args = -F " + config + " -o ControlMaster=auto -o ControlPersist=60s\ncontrol_path_dir = " + filepath.Join(dir, "cp") + "\n"
	if err := os.WriteFile(cfg, []byte(text), 0o600); err != nil {
		return nil, err
	}
	if err := os.WriteFile(inventory, []byte("h1 ansible_python_interpreter=/usr/bin/python3\n"), 0o600); err != nil {
		return nil, err
	}
	return func() *exec.Cmd {
		cmd := l.command("ansible-playbook", book)()
		cmd.Env = append(os.Environ(), "ANSIBLE_CONFIG="+cfg, "LC_ALL=C.UTF-8", "HOME="+dir)
		return cmd
	}, nil
}
