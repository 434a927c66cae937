package ssh

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

func joinPort(host string, port int) string { return net.JoinHostPort(host, strconv.Itoa(port)) }

func (s *settings) fillKeys(v *values, t Target) error {
	var err error
	if s.identity, err = s.expandPath(t.Identity); err != nil {
		return err
	}
	if s.identities, err = s.paths(v, "identityfile"); err != nil {
		return err
	}
	if s.certificates, err = s.paths(v, "certificatefile"); err != nil {
		return err
	}
	if s.identities == nil {
		for _, name := range []string{"id_ed25519", "id_ecdsa", "id_rsa"} {
			s.identities = append(s.identities, filepath.Join(home(), ".ssh", name))
		}
	}
	if s.identitiesOnly, err = v.yes("identitiesonly"); err != nil {
		return err
	}
	return s.fillAgent(v)
}

func (s *settings) fillAgent(v *values) error {
	s.agent = os.Getenv("SSH_AUTH_SOCK")
	line, ok := v.line("identityagent")
	switch {
	case !ok || line.words[0] == "SSH_AUTH_SOCK":
		return nil
	case line.words[0] == "none":
		s.agent = ""
		return nil
	case strings.HasPrefix(line.words[0], "$"):
		s.agent = os.Getenv(strings.Trim(line.words[0][1:], "{}"))
		return nil
	}
	var err error
	if s.agent, err = s.expandPath(line.words[0]); err != nil {
		return at(line.place, err)
	}
	return nil
}

// paths are the values of a keyword that names one file a line.
func (s *settings) paths(v *values, keyword string) ([]string, error) {
	var paths []string
	for _, line := range v.found[keyword] {
		path, err := s.expandPath(line.words[0])
		if err != nil {
			return nil, at(line.place, err)
		}
		if path != "none" && !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	return paths, nil
}

// fillWay: of ProxyJump and ProxyCommand the one that is read first counts; here
// ProxyJump wins, because both beside each other are a mistake.
func (s *settings) fillWay(v *values, _ Target) error {
	if line, ok := v.line("proxyjump"); ok && !strings.EqualFold(line.words[0], "none") {
		text, err := s.expand(strings.Join(line.words, ""))
		if err != nil {
			return at(line.place, err)
		}
		s.jump, s.jumpPlace = strings.Split(text, ","), line.place
		return nil
	}
	if line, ok := v.line("proxycommand"); ok && !strings.EqualFold(line.raw, "none") {
		text, err := s.expand(line.raw)
		if err != nil {
			return at(line.place, err)
		}
		s.proxyCommand = text
	}
	return nil
}

func (s *settings) fillKnown(v *values, _ Target) error {
	var err error
	if s.strict, err = v.oneOf("stricthostkeychecking", "yes", map[string]string{
		"yes": "yes", "true": "yes", "ask": "yes", "no": "no", "off": "no", "false": "no", "accept-new": "accept-new",
	}); err != nil {
		return err
	}
	if s.hashNames, err = v.yes("hashknownhosts"); err != nil {
		return err
	}
	if s.userKnown, err = s.files(v, "userknownhostsfile", "~/.ssh/known_hosts", "~/.ssh/known_hosts2"); err != nil {
		return err
	}
	s.otherKnown, err = s.files(v, "globalknownhostsfile", "/etc/ssh/ssh_known_hosts", "/etc/ssh/ssh_known_hosts2")
	return err
}

// files are the values of a keyword that names several files on one line.
func (s *settings) files(v *values, keyword string, otherwise ...string) ([]string, error) {
	words, from := otherwise, place{}
	if line, ok := v.line(keyword); ok {
		words, from = line.words, line.place
	}
	var files []string
	for _, word := range words {
		if word == "none" {
			continue
		}
		file, err := s.expandPath(word)
		if err != nil {
			return nil, at(from, err)
		}
		files = append(files, file)
	}
	return files, nil
}

func (v *values) line(keyword string) (configLine, bool) {
	if lines := v.found[keyword]; len(lines) > 0 {
		return lines[0], true
	}
	return configLine{}, false
}

func (v *values) oneOf(keyword, otherwise string, meaning map[string]string) (string, error) {
	line, ok := v.line(keyword)
	if !ok {
		return otherwise, nil
	}
	value, ok := meaning[strings.ToLower(line.words[0])]
	if !ok {
		return "", at(line.place, fmt.Errorf("%s cannot be %q", keyword, line.words[0]))
	}
	return value, nil
}

func (v *values) yes(keyword string) (bool, error) {
	value, err := v.oneOf(keyword, "no", map[string]string{"yes": "yes", "true": "yes", "no": "no", "false": "no"})
	return value == "yes", err
}

// seconds reads "30" and ssh's "1m30s"; 0 when it is not set.
func (v *values) seconds(keyword string) (time.Duration, error) {
	line, ok := v.line(keyword)
	if !ok || strings.EqualFold(line.words[0], "none") {
		return 0, nil
	}
	if n, err := strconv.Atoi(line.words[0]); err == nil && n >= 0 {
		return time.Duration(n) * time.Second, nil
	}
	d, err := time.ParseDuration(strings.ToLower(line.words[0]))
	if err != nil || d < 0 {
		return 0, at(line.place, errors.New(keyword+" is no time: "+line.words[0]))
	}
	return d, nil
}
