// Command handwritten is the peer that `make bench` measures pdprov's no-change plan
// against: a program that knows exactly what to read on this one host, dials, reads
// it in one script, and compares. It has no plan files, no diagnostics, no timeouts.
package main

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"strings"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"
)

// Usage: handwritten ADDR:PORT KEY KNOWN_HOSTS SPEC, where a line of SPEC is
// "file PATH TEXT", "package NAME", "sysctl KEY VALUE" or "unit NAME".
func main() {
	if err := run(os.Args[1], os.Args[2], os.Args[3], os.Args[4]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(addr, keyFile, knownHosts, specFile string) error {
	spec, err := readSpec(specFile)
	if err != nil {
		return err
	}
	client, err := dial(addr, keyFile, knownHosts)
	if err != nil {
		return err
	}
	defer client.Close()
	session, err := client.NewSession()
	if err != nil {
		return err
	}
	session.Stdin = strings.NewReader(spec.script())
	out, err := session.Output("/bin/sh -s")
	if err != nil {
		return err
	}
	if n := spec.differences(string(out)); n > 0 {
		return fmt.Errorf("%d differences:\n%s", n, out)
	}
	fmt.Println("No changes.")
	return nil
}

func dial(addr, keyFile, knownHosts string) (*ssh.Client, error) {
	pem, err := os.ReadFile(keyFile)
	if err != nil {
		return nil, err
	}
	key, err := ssh.ParsePrivateKey(pem)
	if err != nil {
		return nil, err
	}
	check, err := knownhosts.New(knownHosts)
	if err != nil {
		return nil, err
	}
	return ssh.Dial("tcp", addr, &ssh.ClientConfig{
		User: "root", Auth: []ssh.AuthMethod{ssh.PublicKeys(key)},
		HostKeyCallback: check, HostKeyAlgorithms: []string{ssh.KeyAlgoED25519},
	})
}

// spec is what to read, and the lines that the answer must hold.
type spec struct {
	files, packages, sysctls, units []string
	expect                          []string
}

func readSpec(name string) (spec, error) {
	var s spec
	f, err := os.Open(name)
	if err != nil {
		return s, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		kind, rest, _ := strings.Cut(lines.Text(), " ")
		name, value, _ := strings.Cut(rest, " ")
		switch kind {
		case "file":
			sum := sha256.Sum256([]byte(value + "\n"))
			s.files = append(s.files, name)
			s.expect = append(s.expect, hex.EncodeToString(sum[:])+"  "+name, "644 root root "+name)
		case "package":
			s.packages = append(s.packages, name)
			s.expect = append(s.expect, "ii  "+name)
		case "sysctl":
			s.sysctls = append(s.sysctls, name)
			s.expect = append(s.expect, name+" = "+value)
		case "unit":
			s.units = append(s.units, name)
			s.expect = append(s.expect, "Id="+name)
		}
	}
	return s, lines.Err()
}

func (s spec) script() string {
	return "export LC_ALL=C\n" +
		"stat -c '%a %U %G %n' " + strings.Join(s.files, " ") + "\n" +
		"sha256sum " + strings.Join(s.files, " ") + "\n" +
		"dpkg-query -W -f '${db:Status-Abbrev} ${Package} ${Version}\\n' " + strings.Join(s.packages, " ") + "\n" +
		"sysctl " + strings.Join(s.sysctls, " ") + "\n" +
		"systemctl show -p Id,ActiveState,UnitFileState,FragmentPath,NeedDaemonReload,ExecMainStartTimestamp " + strings.Join(s.units, " ") + "\n" +
		"cat /var/lib/pdprov/manifest/*.json >/dev/null\n"
}

func (s spec) differences(out string) (n int) {
	for _, want := range s.expect {
		if !strings.Contains(out, want) {
			n++
		}
	}
	return n
}
