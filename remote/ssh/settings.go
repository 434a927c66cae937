package ssh

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/pdprov/pdprov/remote"
)

// settings are how one host is reached, with every default filled in.
type settings struct {
	name  string // in the plan, for messages
	alias string // as the plan or ProxyJump gives it

	hostName, user string
	port           int

	identity       string   // of the plan: it must be usable
	identities     []string // of the files, in order
	certificates   []string
	identitiesOnly bool
	agent          string // socket, "" for none

	jump         []string
	jumpPlace    place
	proxyCommand string

	strict                string // yes, no or accept-new
	userKnown, otherKnown []string
	hostKeyAlias          string
	hashNames             bool

	connectTimeout   time.Duration
	interval, budget time.Duration // of keepalive
}

func (s *settings) address() string { return joinPort(s.hostName, s.port) }

// knownAs is the name that host keys are looked up by.
func (s *settings) knownAs() string {
	if s.hostKeyAlias != "" {
		return joinPort(s.hostKeyAlias, defaultPort)
	}
	return joinPort(s.hostName, s.port)
}

const defaultPort = 22

// settings puts the target, the configuration files and the defaults together.
func (d *Dialer) settings(t Target) (*settings, error) {
	lines, err := d.config()
	if err != nil {
		return nil, badSetting(t.Name, err)
	}
	v := &values{found: map[string][]configLine{}, alias: t.Address, user: t.User, local: localUser(), log: d.warn}
	if err := v.collect(lines, true); err != nil {
		return nil, badSetting(t.Name, err)
	}
	s := &settings{name: t.Name, alias: t.Address}
	for _, fill := range []func(*values, Target) error{s.fillAddress, s.fillKeys, s.fillWay, s.fillKnown, s.fillTimes(d.o)} {
		if err := fill(v, t); err != nil {
			return nil, badSetting(t.Name, err)
		}
	}
	return s, nil
}

func badSetting(host string, err error) error {
	e := &remote.ConnectError{
		Host: host, Reason: remote.BadSetting, Detail: err.Error(), Err: err,
		Remedy: "correct it in the plan or in the SSH configuration",
	}
	var where *settingError
	if errors.As(err, &where) && where.place.file != "" {
		e.Remedy = "correct line " + strconv.Itoa(where.place.line) + " of " + where.place.file
	}
	return e
}

// config reads the files once a run.
func (d *Dialer) config() ([]configLine, error) {
	d.configOnce.Do(func() {
		if d.o.ConfigFile != "" {
			file := expandHome(d.o.ConfigFile)
			d.configLines, d.configErr = readConfig(file, filepath.Join(home(), ".ssh"), 0)
			return
		}
		for _, file := range []string{filepath.Join(home(), ".ssh", "config"), "/etc/ssh/ssh_config"} {
			lines, err := readConfig(file, filepath.Dir(file), 0)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				d.configErr = err
				return
			}
			// Each file starts outside of any Host block of the one before.
			d.configLines = append(d.configLines, configLine{keyword: "include", include: [][]configLine{lines}})
		}
	})
	return d.configLines, d.configErr
}

func (s *settings) fillAddress(v *values, t Target) error {
	s.hostName, s.port = t.Address, defaultPort
	s.user = firstOf(t.User, v.first("user"), v.local)
	if line, ok := v.line("port"); ok {
		port, err := strconv.Atoi(line.words[0])
		if err != nil || port < 1 || port > 65535 {
			return at(line.place, fmt.Errorf("%q is no port", line.words[0]))
		}
		s.port = port
	}
	if t.Port != 0 {
		s.port = t.Port
	}
	if line, ok := v.line("hostname"); ok {
		name, err := s.expand(line.words[0])
		if err != nil {
			return at(line.place, err)
		}
		s.hostName = name
	}
	s.hostName = strings.ToLower(strings.Trim(s.hostName, "[]"))
	s.hostKeyAlias = strings.ToLower(v.first("hostkeyalias"))
	return nil
}

func (s *settings) fillTimes(o Options) func(*values, Target) error {
	return func(v *values, _ Target) error {
		s.connectTimeout, s.interval, s.budget = o.ConnectTimeout, o.KeepAlive, o.KeepAlive
		connect, err := v.seconds("connecttimeout")
		if err != nil {
			return err
		}
		if connect > 0 {
			s.connectTimeout = connect
		}
		interval, err := v.seconds("serveraliveinterval")
		if err != nil {
			return err
		}
		count, err := v.seconds("serveralivecountmax")
		if err != nil {
			return err
		}
		// The files can make it quicker, not slower: a dead link must be noticed.
		if interval > 0 && interval < s.interval {
			s.interval = interval
			if count > 0 {
				s.budget = min(s.budget, interval*count/time.Second)
			}
		}
		return nil
	}
}
