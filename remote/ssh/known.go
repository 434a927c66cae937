package ssh

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/skeema/knownhosts"
	"golang.org/x/crypto/ssh"
)

// known are the host keys that count for one host.
type known struct {
	*knownhosts.HostKeyDB
	s *settings
}

// known reads the files of a host. One that is not there is empty, and a line that
// cannot be read is skipped and told, as OpenSSH does.
func (d *Dialer) known(s *settings) (*known, error) {
	var files []string
	for _, file := range slices.Concat(s.userKnown, s.otherKnown) {
		some, err := d.checkKnown(file)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, badSetting(s.name, &settingError{text: "known hosts: " + err.Error()})
		}
		if some {
			files = append(files, file)
		}
	}
	db, err := knownhosts.NewDB(files...)
	if err != nil {
		return nil, badSetting(s.name, &settingError{text: "known hosts: " + err.Error()})
	}
	return &known{db, s}, nil
}

// checkKnown says whether a file has any good line: the library skips bad ones too,
// but says nothing, and refuses a file of bad ones only.
func (d *Dialer) checkKnown(file string) (bool, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return false, err
	}
	some, number := false, 0
	for line := range bytes.Lines(text) {
		number++
		line = bytes.TrimSpace(line)
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		if _, _, _, _, _, err := ssh.ParseKnownHosts(line); err != nil {
			d.warn(fmt.Sprintf("%s:%d: this line cannot be read and is skipped", file, number))
			continue
		}
		some = true
	}
	return some, nil
}

// withoutPort is the name under which ssh accepts a host, too, whose port is not the
// usual one; "" if there is none.
func (k *known) withoutPort() string {
	if k.s.hostKeyAlias != "" || k.s.port == defaultPort {
		return ""
	}
	return joinPort(k.s.hostName, defaultPort)
}

// algorithms are those of the keys that are known: a host shows the first kind that
// it is asked for, and another kind than the known one would look like a changed key.
// Of a host that is not known a plain key is asked for, never a certificate.
func (k *known) algorithms() []string {
	algorithms := slices.DeleteFunc(k.HostKeyAlgorithms(k.s.knownAs()), outdated)
	if len(algorithms) > 0 {
		return algorithms
	}
	if name := k.withoutPort(); name != "" {
		algorithms = slices.DeleteFunc(k.HostKeyAlgorithms(name), outdated)
	}
	for _, algorithm := range []string{
		ssh.KeyAlgoED25519, ssh.KeyAlgoECDSA256, ssh.KeyAlgoECDSA384, ssh.KeyAlgoECDSA521,
		ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256,
	} {
		if !slices.Contains(algorithms, algorithm) {
			algorithms = append(algorithms, algorithm)
		}
	}
	return algorithms
}

// outdated: OpenSSH no longer accepts RSA with SHA-1 and DSA either.
func outdated(algorithm string) bool {
	return algorithm == ssh.KeyAlgoRSA || algorithm == ssh.CertAlgoRSAv01 || strings.HasPrefix(algorithm, "ssh-dss")
}
