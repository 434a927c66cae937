package ssh

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/skeema/knownhosts"
	"golang.org/x/crypto/ssh"
	xknownhosts "golang.org/x/crypto/ssh/knownhosts"
	"golang.org/x/sys/unix"
)

// accept records the key of a new host in the person's first known_hosts file. The
// files are read again under the lock: another run may have recorded this host since.
func (d *Dialer) accept(k *known, key ssh.PublicKey) error {
	d.writing.Lock()
	defer d.writing.Unlock()
	if len(k.s.userKnown) == 0 {
		return nil
	}
	file, err := openLocked(k.s.userKnown[0])
	if err != nil {
		return badSetting(k.s.name, &settingError{text: "recording the host key: " + err.Error()})
	}
	defer file.Close()
	now, err := d.known(k.s)
	if err != nil {
		return err
	}
	err = now.HostKeyCallback()(k.s.knownAs(), noAddr{}, key)
	switch {
	case err == nil:
		return nil
	case knownhosts.IsHostKeyChanged(err):
		return k.changed(key, err)
	case !knownhosts.IsHostUnknown(err):
		return err
	}
	if err := appendLine(file, k.line(key)); err != nil {
		return badSetting(k.s.name, &settingError{text: "recording the host key: " + err.Error()})
	}
	d.warn(fmt.Sprintf("%s: the new host key %s is recorded in %s", k.s.name, ssh.FingerprintSHA256(key), file.Name()))
	return nil
}

func (k *known) line(key ssh.PublicKey) string {
	name := knownhosts.Normalize(k.s.knownAs())
	if k.s.hashNames {
		name = xknownhosts.HashHostname(name)
		return name + " " + string(ssh.MarshalAuthorizedKey(key))
	}
	return knownhosts.Line([]string{name}, key) + "\n"
}

func openLocked(path string) (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		err = unix.Flock(int(file.Fd()), unix.LOCK_EX)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

// appendLine writes one line in one write, after an end of line where it is missing.
func appendLine(file *os.File, line string) error {
	last := make([]byte, 1)
	if end, err := file.Seek(-1, io.SeekEnd); err == nil {
		if _, err := file.ReadAt(last, end); err == nil && last[0] != '\n' {
			line = "\n" + line
		}
	}
	_, err := file.WriteString(line)
	return err
}
