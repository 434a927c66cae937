package ssh

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"syscall"

	"golang.org/x/crypto/ssh"

	"github.com/pdprov/pdprov/internal/posixsh"
	"github.com/pdprov/pdprov/remote"
)

// dialError says why there is no byte stream to a host.
func (s *settings) dialError(err error) error {
	e := &remote.ConnectError{Host: s.name, Reason: remote.Unreachable, Err: err}
	var dns *net.DNSError
	var open *ssh.OpenChannelError
	switch {
	case errors.Is(err, context.Canceled):
		e.Reason, e.Detail = remote.TimedOut, "given up while connecting to "+s.address()
	case errors.As(err, &dns) && !dns.IsTimeout:
		e.Reason, e.Detail = remote.NameUnknown, fmt.Sprintf("the name %s cannot be resolved (%s)", s.hostName, dns.Err)
		e.Remedy = "check address in the plan, HostName in the SSH configuration, and DNS"
	case errors.As(err, &open):
		s.forwardError(e, open)
	case errors.Is(err, syscall.ECONNREFUSED):
		e.Reason, e.Detail = remote.Refused, "nothing listens on "+s.address()
		e.Remedy = "check that sshd runs there and that the port is right"
	case isTimeout(err):
		e.Reason, e.Detail = remote.TimedOut, fmt.Sprintf("%s does not answer within %s", s.address(), s.connectTimeout)
		e.Remedy = "check that the host is up and that no firewall drops the connection"
	default:
		e.Detail = fmt.Sprintf("%s cannot be reached: %s", s.address(), rootCause(err))
		e.Remedy = "check the network and the routes between this machine and the host"
	}
	return e
}

func isTimeout(err error) bool {
	var n net.Error
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, syscall.ETIMEDOUT) || errors.As(err, &n) && n.Timeout()
}

// rootCause is an error without the addresses that net puts around it.
func rootCause(err error) string {
	var call *os.SyscallError
	if errors.As(err, &call) {
		return call.Err.Error()
	}
	return err.Error()
}

// forwardError reads what a jump host says of the way onward.
func (s *settings) forwardError(e *remote.ConnectError, open *ssh.OpenChannelError) {
	e.Detail = fmt.Sprintf("the jump host cannot reach %s: %s", s.address(), open.Message)
	e.Remedy = "check from the jump host that the host's port answers"
	switch {
	case open.Reason == ssh.Prohibited:
		e.Reason, e.Remedy = remote.Refused, "let sshd on the jump host forward: AllowTcpForwarding yes"
	case strings.Contains(open.Message, "refused"):
		e.Reason = remote.Refused
	case strings.Contains(open.Message, "timed out"):
		e.Reason = remote.TimedOut
	case strings.Contains(open.Message, "not known"), strings.Contains(open.Message, "resolve"):
		e.Reason = remote.NameUnknown
	}
}

// loginError says why a handshake did not end in a login.
func (d *Dialer) loginError(ctx context.Context, s *settings, k *known, o *offer, err error, expired bool) error {
	var told *remote.ConnectError
	var negotiation *ssh.AlgorithmNegotiationError
	switch {
	case errors.As(err, &told):
		return told
	case expired:
		return &remote.ConnectError{
			Host: s.name, Reason: remote.TimedOut, Err: err,
			Detail: fmt.Sprintf("%s took the connection, but the SSH handshake was not over within %s", s.address(), d.o.HandshakeTimeout),
			Remedy: "check that it is sshd that listens there, and how loaded the host is",
		}
	case ctx.Err() != nil:
		return s.cancelled(ctx)
	case strings.Contains(err.Error(), "unable to authenticate"), strings.Contains(err.Error(), "authentication failures"), o.locked:
		return s.authError(o, err)
	case errors.As(err, &negotiation) && strings.Contains(err.Error(), "host key"):
		return k.otherKind(err)
	}
	return &remote.ConnectError{
		Host: s.name, Reason: remote.Unreachable, Err: err,
		Detail: fmt.Sprintf("the SSH handshake with %s failed: %s", s.address(), strings.TrimPrefix(err.Error(), "ssh: handshake failed: ")),
		Remedy: "check that it is sshd that listens there; its log on the host says more",
	}
}

func (s *settings) authError(o *offer, err error) error {
	e := &remote.ConnectError{Host: s.name, Reason: remote.AuthFailed, Err: err}
	e.Detail = fmt.Sprintf("%s takes none of these keys for user %s: %s", s.address(), s.user, strings.Join(o.names, ", "))
	e.Remedy = fmt.Sprintf("check the user, and put the public key into its authorized_keys: ssh-copy-id -p %d %s", s.port, posixsh.Quote(s.user+"@"+s.hostName))
	if len(o.names) == 0 {
		e.Detail = fmt.Sprintf("there is no key to offer to %s for user %s", s.address(), s.user)
		e.Remedy = "name one with identity in the plan or IdentityFile in the SSH configuration, or load it into ssh-agent"
	}
	if len(o.left) > 0 {
		e.Detail += "; " + strings.Join(o.left, "; ")
	}
	return e
}
