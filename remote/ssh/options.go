// Package ssh reaches hosts over SSH as OpenSSH would: by its configuration, keys,
// agent and known hosts. Keys and connections are goph's; dialling, deadlines and
// keepalive are its own, because goph's contexts do not stop a remote command.
package ssh

import (
	"context"
	"net"
	"time"
)

// Options say how all hosts of a run are reached. The zero value reads the person's
// own SSH configuration, trusts only known host keys and asks nobody.
type Options struct {
	// ConfigFile is read alone, as by ssh -F; "" reads ~/.ssh/config and then
	// /etc/ssh/ssh_config.
	ConfigFile string
	// AcceptNew records the key of a host that is not known yet. A changed key is
	// refused all the same.
	AcceptNew bool
	// ConnectTimeout limits the way to the port (0 means 10 s), HandshakeTimeout
	// what follows until the session can be used (0 means 20 s).
	ConnectTimeout, HandshakeTimeout time.Duration
	// KeepAlive is the silence after which the host is asked for a sign of life,
	// and then the time it has for one (0 means 15 s).
	KeepAlive time.Duration
	// Starts is how many connections may be starting at one time; 0 means 8.
	Starts int
	// Ask asks the person for the passphrase of a key; nil means nobody can be asked.
	Ask func(prompt string) (string, error)
	// SudoPassword is called when sudo on a host asks; nil means that sudo must not ask.
	SudoPassword func(host string) (string, error)
	// DialContext makes the TCP connections; nil means those of this machine.
	DialContext func(ctx context.Context, network, addr string) (net.Conn, error)
	// Log gets warnings, one line each, such as a line of known_hosts that was skipped.
	Log func(string)
}

// Target is a host as the plan names it. Empty fields leave it to the SSH configuration.
type Target struct {
	Name     string // in the plan
	Address  string // name, address or alias of the SSH configuration
	User     string
	Port     int
	Identity string // path of a private key, offered first
	Sudo     bool   // scripts run as root through sudo
}

func (o Options) complete() Options {
	setDefault(&o.ConnectTimeout, 10*time.Second)
	setDefault(&o.HandshakeTimeout, 20*time.Second)
	setDefault(&o.KeepAlive, 15*time.Second)
	if o.Starts <= 0 {
		o.Starts = 8
	}
	if o.DialContext == nil {
		o.DialContext = (&net.Dialer{}).DialContext
	}
	if o.Log == nil {
		o.Log = func(string) {}
	}
	return o
}

func setDefault(d *time.Duration, value time.Duration) {
	if *d <= 0 {
		*d = value
	}
}
