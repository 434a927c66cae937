package supervisor

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/pdprov/pdprov/internal/lab/wire"
)

// seed writes the files that make this host differ from the base root, and returns
// the public half of its new ssh host key.
func (h *host) seed() (string, error) {
	authorized, err := os.ReadFile(wire.Identity + ".pub")
	if err != nil {
		return "", err
	}
	id := make([]byte, 16)
	rand.Read(id)
	files := map[string]string{
		"etc/hostname":              h.Name + "\n",
		"etc/hosts":                 h.lab.hostsFile(),
		"etc/machine-id":            hex.EncodeToString(id) + "\n",
		"etc/pdlab/address":         "ADDRESS=" + h.Address + "/24\n",
		"etc/environment":           strings.Join(h.lab.Environment, "\n") + "\n",
		"root/.ssh/authorized_keys": string(authorized),
		"etc/apt/apt.conf.d/60pdlab-proxy": fmt.Sprintf(
			"Acquire::http::Proxy %q;\nAcquire::https::Proxy %q;\n", wire.ProxyURL, wire.ProxyURL),
		"etc/systemd/system.conf.d/20-pdlab-environment.conf": "[Manager]\nDefaultEnvironment=" +
			unitWords(h.lab.Environment) + "\n",
	}
	if h.lab.Bundle != "" {
		bundle, err := os.ReadFile(h.lab.Bundle)
		if err != nil {
			return "", err
		}
		files["etc/ssl/certs/ca-certificates.crt"] = string(bundle)
	}
	for name, text := range files {
		if err := write(filepath.Join(h.root(), name), text); err != nil {
			return "", err
		}
	}
	if err := h.seedBox(); err != nil {
		return "", err
	}
	return h.makeKey()
}

// write leaves 0644 whatever the umask is.
func write(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		return err
	}
	return os.Chmod(path, 0o644)
}

func (s *supervisor) hostsFile() string {
	var b strings.Builder
	b.WriteString("127.0.0.1 localhost\n::1 localhost\n")
	for i := 1; i <= s.Hosts; i++ {
		fmt.Fprintf(&b, "%s %s\n", wire.HostAddress(i), wire.HostName(i))
	}
	return b.String()
}

// unitWords writes words for a unit file, in which % and quotes have a meaning.
func unitWords(words []string) string {
	escape := strings.NewReplacer(`\`, `\\`, `"`, `\"`, `%`, `%%`)
	var quoted []string
	for _, w := range words {
		quoted = append(quoted, `"`+escape.Replace(w)+`"`)
	}
	return strings.Join(quoted, " ")
}

func (h *host) makeKey() (string, error) {
	path := filepath.Join(h.root(), "etc/ssh/ssh_host_ed25519_key")
	if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", h.Name, "-f", path).CombinedOutput(); err != nil {
		return "", fmt.Errorf("ssh-keygen: %w: %s", err, out)
	}
	public, err := os.ReadFile(path + ".pub")
	if err != nil {
		return "", err
	}
	fields := strings.Fields(string(public))
	if len(fields) < 2 {
		return "", fmt.Errorf("%s.pub: %q", path, public)
	}
	return fields[0] + " " + fields[1], nil
}
