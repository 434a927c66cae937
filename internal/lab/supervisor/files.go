package supervisor

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/pdprov/pdprov/internal/lab/wire"
)

// writeFiles leaves what users of the lab read: its state, the keys of its hosts and
// a configuration for ssh.
func (s *supervisor) writeFiles() error {
	state, err := json.MarshalIndent(s.State, "", "  ")
	if err != nil {
		return err
	}
	var known, config strings.Builder
	for _, h := range s.hosts {
		known.WriteString(wire.KnownHostsLine(h.status()))
		fmt.Fprintf(&config, "Host %s\n  HostName %s\n  User root\n  IdentityFile %s\n  IdentitiesOnly yes\n"+
			"  UserKnownHostsFile %s\n  StrictHostKeyChecking yes\n", h.Name, h.Address,
			s.path(wire.Identity), s.path(wire.KnownHosts))
	}
	for name, text := range map[string]string{
		wire.StateFile: string(state) + "\n", wire.KnownHosts: known.String(), wire.SSHConfig: config.String(),
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// path is quoted only where ssh needs it.
func (s *supervisor) path(name string) string {
	path := filepath.Join(s.Dir, name)
	if strings.ContainsAny(path, " \t") {
		return `"` + path + `"`
	}
	return path
}
