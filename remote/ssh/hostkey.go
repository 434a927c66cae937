package ssh

import (
	"errors"
	"fmt"
	"strings"

	"github.com/skeema/knownhosts"
	"golang.org/x/crypto/ssh"
	xknownhosts "golang.org/x/crypto/ssh/knownhosts"

	"github.com/pdprov/pdprov/internal/posixsh"
	"github.com/pdprov/pdprov/remote"
)

// check decides on the key that a host shows. Keys are looked up by name alone, as
// ssh does: addresses are reused. A changed key is refused whatever the configuration
// says: StrictHostKeyChecking no lets new keys in, and no more.
func (d *Dialer) check(k *known, key ssh.PublicKey) error {
	err := k.HostKeyCallback()(k.s.knownAs(), noAddr{}, key)
	if name := k.withoutPort(); name != "" && knownhosts.IsHostUnknown(err) && k.HostKeyCallback()(name, noAddr{}, key) == nil {
		err = nil
	}
	var revoked *xknownhosts.RevokedError
	switch {
	case err == nil:
		return nil
	case knownhosts.IsHostKeyChanged(err):
		return k.changed(key, err)
	case errors.As(err, &revoked):
		return &remote.ConnectError{
			Host: k.s.name, Reason: remote.HostKeyChanged, Err: err,
			Detail: fmt.Sprintf("%s shows a key that %s:%d revokes", k.s.address(), revoked.Revoked.Filename, revoked.Revoked.Line),
			Remedy: "do not connect before you know why the key was revoked",
		}
	case !knownhosts.IsHostUnknown(err):
		return &remote.ConnectError{
			Host: k.s.name, Reason: remote.HostKeyUnknown, Err: err,
			Detail: fmt.Sprintf("the host certificate of %s is not accepted: %s", k.s.address(), strings.TrimPrefix(err.Error(), "ssh: ")),
			Remedy: "check the certificate's names and time, and the @cert-authority line of known_hosts",
		}
	case d.o.AcceptNew || k.s.strict != "yes":
		return d.accept(k, key)
	}
	return k.unknown(key, err)
}

// changed: the file, the line and the command, because that is what must be done
// when, and only when, the change is explained.
func (k *known) changed(key ssh.PublicKey, err error) error {
	e := &remote.ConnectError{
		Host: k.s.name, Reason: remote.HostKeyChanged, Err: err,
		Detail: fmt.Sprintf("%s shows the %s key %s", k.s.address(), key.Type(), ssh.FingerprintSHA256(key)),
	}
	var keys *xknownhosts.KeyError
	if errors.As(err, &keys) {
		e.Detail += k.remedy(e, keys.Want)
	}
	return e
}

func (k *known) remedy(e *remote.ConnectError, want []xknownhosts.KnownKey) string {
	old := want[0]
	e.Remedy = fmt.Sprintf("if the host was rebuilt, compare that fingerprint with the host's console, then run: ssh-keygen -R %s -f %s",
		posixsh.Quote(knownhosts.Normalize(k.s.knownAs())), posixsh.Quote(old.Filename))
	return fmt.Sprintf(", but %s:%d has the %s key %s", old.Filename, old.Line, old.Key.Type(), ssh.FingerprintSHA256(old.Key))
}

func (k *known) unknown(key ssh.PublicKey, err error) error {
	return &remote.ConnectError{
		Host: k.s.name, Reason: remote.HostKeyUnknown, Err: err,
		Detail: fmt.Sprintf("%s shows the %s key %s, and no known_hosts file names this host", k.s.address(), key.Type(), ssh.FingerprintSHA256(key)),
		Remedy: fmt.Sprintf("compare that fingerprint with the host's console, then run: ssh-keyscan -p %d %s >> ~/.ssh/known_hosts (or accept new keys with --accept-new)",
			k.s.port, posixsh.Quote(k.s.hostName)),
	}
}

// otherKind: the host has no key of the kind that is known.
func (k *known) otherKind(err error) error {
	e := &remote.ConnectError{
		Host: k.s.name, Reason: remote.HostKeyChanged, Err: err,
		Detail: fmt.Sprintf("%s has no key of a kind that known_hosts has for it", k.s.address()),
		Remedy: "find out why, then remove the known key with ssh-keygen -R " + posixsh.Quote(knownhosts.Normalize(k.s.knownAs())),
	}
	var keys *xknownhosts.KeyError
	if errors.As(k.HostKeyCallback()(k.s.knownAs(), noAddr{}, noKey{}), &keys) && len(keys.Want) > 0 {
		e.Detail += k.remedy(e, keys.Want)
	}
	return e
}

// noKey is a key that is in no file.
type noKey struct{}

func (noKey) Type() string                        { return "none" }
func (noKey) Marshal() []byte                     { return nil }
func (noKey) Verify([]byte, *ssh.Signature) error { return errors.New("no key") }

// noAddr stands for the address of a host where it is not known or must not count.
type noAddr struct{}

func (noAddr) Network() string { return "tcp" }
func (noAddr) String() string  { return "0.0.0.0:0" }
