package ssh

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"slices"

	"golang.org/x/crypto/ssh"

	"github.com/pdprov/pdprov/internal/posixsh"
)

// maxOffered keys: each counts as an attempt, and sshd allows six by default.
const maxOffered = 6

// offer is what is shown to one host: keys in their order.
type offer struct {
	signers []ssh.Signer
	names   []string // of signers, for messages
	left    []string // keys that were not offered, and why
	locked  bool     // a key could not be unlocked in the middle of the handshake
	agent   net.Conn
	held    []held // the agent's keys
	certs   []*ssh.Certificate
	d       *Dialer
	pause   func() (resume func()) // called while a person is asked
}

type held struct {
	signer  ssh.Signer
	comment string
}

// offerFor collects the keys for a host: the plan's own, those of the configuration,
// then what else the agent has.
func (d *Dialer) offerFor(s *settings) (*offer, error) {
	o := &offer{d: d}
	for _, path := range s.certificates {
		o.addCertificate(path)
	}
	o.openAgent(s.agent)
	if s.identity != "" {
		if err := o.addFile(s.identity); err != nil {
			o.close()
			return nil, badSetting(s.name, &settingError{text: "identity: " + err.Error()})
		}
	}
	for _, path := range s.identities {
		if err := o.addFile(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			o.left = append(o.left, err.Error())
		}
	}
	if !s.identitiesOnly {
		for _, key := range o.held {
			o.add(key.signer, key.comment+" of the agent")
		}
	}
	return o, nil
}

func (o *offer) close() {
	if o.agent != nil {
		o.agent.Close()
	}
}

// addFile offers a key file: by the agent where it holds the key, by a passphrase
// that is asked for only when the host wants this key, or as it is.
func (o *offer) addFile(path string) error {
	k := o.d.keys.file(path)
	_, public, err := k.state()
	if err != nil {
		return err
	}
	o.addCertificate(path + "-cert.pub")
	if public != nil {
		for _, key := range o.held {
			if sameKey(key.signer.PublicKey(), public) {
				o.add(key.signer, path+" (agent)")
				return nil
			}
		}
	}
	if k.publicOnly {
		return fmt.Errorf("%s holds a public key only, and the agent does not have the private one", path)
	}
	if signer, _, _ := k.state(); signer == nil && o.d.o.Ask == nil {
		return fmt.Errorf("%s has a passphrase and nobody can be asked; run: ssh-add %s", path, posixsh.Quote(path))
	}
	if public == nil {
		signer, err := k.unlock(o.d.ask)
		if err != nil {
			return err
		}
		public = signer.PublicKey()
	}
	o.add(&fileSigner{public, k, o}, path)
	return nil
}

func (o *offer) add(signer ssh.Signer, name string) {
	for _, cert := range o.certs {
		if sameKey(cert.Key, signer.PublicKey()) {
			if certified, err := ssh.NewCertSigner(cert, signer); err == nil {
				o.addOne(certified, name+" with its certificate")
			}
		}
	}
	o.addOne(signer, name)
}

func (o *offer) addOne(signer ssh.Signer, name string) {
	if slices.ContainsFunc(o.signers, func(s ssh.Signer) bool { return sameKey(s.PublicKey(), signer.PublicKey()) }) {
		return
	}
	if len(o.signers) == maxOffered {
		o.left = append(o.left, fmt.Sprintf("%s was not tried: a host allows about %d", name, maxOffered))
		return
	}
	o.signers, o.names = append(o.signers, signer), append(o.names, name)
}

func (o *offer) addCertificate(path string) {
	if cert, ok := publicFile(path).(*ssh.Certificate); ok {
		o.certs = append(o.certs, cert)
	}
}

func sameKey(a, b ssh.PublicKey) bool { return bytes.Equal(a.Marshal(), b.Marshal()) }
