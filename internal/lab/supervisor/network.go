package supervisor

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"

	"github.com/pdprov/pdprov/internal/lab/wire"
)

// bridge joins all cables of the lab and carries the gateway's address.
const bridge = "pd0"

// startNetwork makes the bridge; nothing leads out of the lab but the proxy. The bridge's
// hardware address is set because one without takes a new address, unknown to the
// hosts, whenever a cable is replaced.
func startNetwork() error {
	const noIPv6 = "/proc/sys/net/ipv6/conf/default/disable_ipv6"
	if _, err := os.Stat(noIPv6); err == nil {
		if err := os.WriteFile(noIPv6, []byte("1"), 0); err != nil {
			return err
		}
	}
	return ips(
		[]string{"link", "set", "lo", "up"},
		[]string{"link", "add", bridge, "address", "02:70:64:00:00:01", "type", "bridge"},
		[]string{"address", "add", wire.Gateway + "/24", "dev", bridge},
		[]string{"link", "set", bridge, "up"},
	)
}

func listenGateway() (*net.TCPListener, error) {
	l, err := net.Listen("tcp", net.JoinHostPort(wire.Gateway, strconv.Itoa(wire.ProxyPort)))
	if err != nil {
		return nil, err
	}
	return l.(*net.TCPListener), nil
}

// ips runs several ip commands and stops at the first that fails.
func ips(commands ...[]string) error {
	for _, args := range commands {
		if err := ip(args...); err != nil {
			return err
		}
	}
	return nil
}

func ip(args ...string) error {
	out, err := exec.Command("ip", args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("ip %s: %w: %s", args, err, bytes.TrimSpace(out))
	}
	return nil
}
