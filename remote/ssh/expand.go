package ssh

import (
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strings"
)

// home is the person's folder; $HOME wins, so that a test or a service can have its own.
func home() string {
	if dir, err := os.UserHomeDir(); err == nil {
		return dir
	}
	return "/"
}

func expandHome(path string) string {
	if path == "~" || strings.HasPrefix(path, "~/") {
		return filepath.Join(home(), path[1:])
	}
	return path
}

func localUser() string {
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return os.Getenv("USER")
}

// expand replaces the tokens of ssh_config: %h host, %n name as given, %p port, %r
// user on the host, %u local user, %d home, %k host key alias, %L and %l this machine.
func (s *settings) expand(text string) (string, error) {
	tokens := map[byte]string{
		'%': "%", 'h': s.hostName, 'n': s.alias, 'p': fmt.Sprint(s.port), 'r': s.user,
		'u': localUser(), 'd': home(), 'k': firstOf(s.hostKeyAlias, s.hostName), 'j': strings.Join(s.jump, ","),
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '%' {
			b.WriteByte(text[i])
			continue
		}
		i++
		if i == len(text) {
			return "", fmt.Errorf("%q ends in the middle of a token", text)
		}
		value, ok := tokens[text[i]]
		if text[i] == 'l' || text[i] == 'L' {
			value, ok = thisMachine(text[i] == 'L'), true
		}
		if !ok {
			return "", fmt.Errorf("%q: pdprov does not know the token %%%c", text, text[i])
		}
		b.WriteString(value)
	}
	return b.String(), nil
}

func thisMachine(short bool) string {
	name, _ := os.Hostname()
	if short {
		name, _, _ = strings.Cut(name, ".")
	}
	return name
}

// expandPath is expand for a path: ~ and ${VARIABLE} too.
func (s *settings) expandPath(text string) (string, error) {
	text, err := s.expand(expandHome(text))
	if err != nil || !strings.Contains(text, "${") {
		return text, err
	}
	return os.Expand(text, os.Getenv), nil
}
