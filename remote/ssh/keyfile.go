package ssh

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/melbahja/goph"
	"golang.org/x/crypto/ssh"

	"github.com/pdprov/pdprov/internal/posixsh"
)

// keyRing holds the key files of a run: each is read once, and its passphrase is
// asked for once, however many hosts take the key.
type keyRing struct {
	mu    sync.Mutex
	files map[string]*keyFile
}

// keyFile is one private key.
type keyFile struct {
	path       string
	locked     []byte // the encrypted text
	publicOnly bool

	asking sync.Mutex // held while the person is asked
	mu     sync.Mutex
	signer ssh.Signer    // nil as long as the key is locked
	public ssh.PublicKey // nil for an old encrypted file without its .pub
	err    error         // why the key cannot be used
}

func (r *keyRing) file(path string) *keyFile {
	r.mu.Lock()
	defer r.mu.Unlock()
	k, ok := r.files[path]
	if !ok {
		k = &keyFile{path: path}
		k.err = k.load()
		r.files[path] = k
	}
	return k
}

func (k *keyFile) load() error {
	info, err := os.Stat(k.path)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(k.path)
	if err != nil {
		return err
	}
	if public, _, _, _, err := ssh.ParseAuthorizedKey(text); err == nil {
		k.public, k.publicOnly = public, true // as ssh: the agent may hold the private one
		return nil
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		return fmt.Errorf("%s can be read by others (mode %04o); run: chmod 600 %s", k.path, mode, posixsh.Quote(k.path))
	}
	signer, err := goph.GetSignerForRawKey(text, "")
	var missing *ssh.PassphraseMissingError
	switch {
	case errors.As(err, &missing):
		k.locked, k.public = text, missing.PublicKey
		if k.public == nil {
			k.public = publicFile(k.path + ".pub")
		}
		return nil
	case err != nil:
		return fmt.Errorf("%s is no private key: %s", k.path, strings.TrimPrefix(err.Error(), "ssh: "))
	}
	k.signer, k.public = signer, signer.PublicKey()
	return nil
}

func publicFile(path string) ssh.PublicKey {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	public, _, _, _, err := ssh.ParseAuthorizedKey(text)
	if err != nil {
		return nil
	}
	return public
}

// passphraseTries is how often ssh asks, too.
const passphraseTries = 3

// unlock gives the signer and asks for the passphrase if it must. Whoever comes
// meanwhile waits for that answer.
func (k *keyFile) unlock(ask func(string) (string, error)) (ssh.Signer, error) {
	k.asking.Lock()
	defer k.asking.Unlock()
	if signer, _, err := k.state(); signer != nil || err != nil {
		return signer, err
	}
	signer, err := k.decrypt(ask)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.signer, k.err = signer, err
	if err == nil {
		k.public = signer.PublicKey()
	}
	return signer, err
}

func (k *keyFile) decrypt(ask func(string) (string, error)) (ssh.Signer, error) {
	for range passphraseTries {
		passphrase, err := ask("Passphrase for " + k.path + ": ")
		if err != nil {
			return nil, fmt.Errorf("%s: no passphrase: %w", k.path, err)
		}
		if passphrase == "" {
			continue
		}
		if signer, err := goph.GetSignerForRawKey(k.locked, passphrase); err == nil {
			return signer, nil
		}
	}
	return nil, fmt.Errorf("%s: wrong passphrase", k.path)
}

func (k *keyFile) state() (ssh.Signer, ssh.PublicKey, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.signer, k.public, k.err
}
