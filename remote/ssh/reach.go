package ssh

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"

	"github.com/pdprov/pdprov/remote"
)

// reach opens a byte stream to a host: from the jump host below, through a command,
// or directly.
func (d *Dialer) reach(ctx context.Context, s *settings, below *link) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, s.connectTimeout)
	defer cancel()
	var conn net.Conn
	var err error
	switch {
	case below != nil:
		conn, err = below.DialContext(ctx, "tcp", s.address())
	case s.proxyCommand != "":
		conn, err = startProxy(s.proxyCommand)
	default:
		conn, err = d.o.DialContext(ctx, "tcp", s.address())
	}
	if err != nil {
		return nil, s.dialError(err)
	}
	return conn, nil
}

// below connects to the jump host that a host is reached through, nil without one.
// path are the steps on the way so far: a jump may not come back to one.
func (d *Dialer) below(ctx context.Context, s *settings, path []string) (*link, error) {
	if len(s.jump) == 0 {
		return nil, nil
	}
	last := s.jump[len(s.jump)-1]
	t, err := jumpTarget(s.name, last)
	if err != nil {
		return nil, badSetting(s.name, at(s.jumpPlace, err))
	}
	hop, err := d.settings(t)
	if err != nil {
		return nil, err
	}
	if before := s.jump[:len(s.jump)-1]; len(before) > 0 {
		hop.jump, hop.jumpPlace, hop.proxyCommand = before, s.jumpPlace, ""
	}
	if slices.Contains(path, hop.step()) {
		round := strings.Join(append(path, hop.step()), " -> ")
		return nil, badSetting(s.name, at(s.jumpPlace, fmt.Errorf("ProxyJump goes round: %s", round)))
	}
	below, err := d.connect(ctx, hop, append(slices.Clone(path), hop.step()))
	var failed *remote.ConnectError
	if errors.As(err, &failed) && !strings.HasPrefix(failed.Detail, "jump host ") {
		failed.Detail = fmt.Sprintf("jump host %s: %s", last, failed.Detail)
	}
	return below, err
}

// step names a host on a way: by the name that was given, because the same address
// may be another host when seen from a jump host.
func (s *settings) step() string { return joinPort(s.alias, s.port) }

// jumpTarget reads [user@]host[:port], also as an ssh:// address.
func jumpTarget(name, text string) (Target, error) {
	t := Target{Name: name, Address: strings.TrimSuffix(strings.TrimPrefix(text, "ssh://"), "/")}
	if i := strings.LastIndex(t.Address, "@"); i >= 0 {
		t.User, t.Address = t.Address[:i], t.Address[i+1:]
	}
	if host, port, err := net.SplitHostPort(t.Address); err == nil {
		if t.Port, err = strconv.Atoi(port); err != nil {
			return t, fmt.Errorf("ProxyJump %q has no valid port", text)
		}
		t.Address = host
	}
	if t.Address == "" {
		return t, fmt.Errorf("ProxyJump %q names no host", text)
	}
	return t, nil
}
