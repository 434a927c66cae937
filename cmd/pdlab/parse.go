package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/pdprov/pdprov/internal/lab"
)

// parse reads flags before and after the arguments, except in commands that pass
// their arguments on: there the first argument ends the flags.
func (c command) parse(args []string) (*call, error) {
	u := &call{flags: flag.NewFlagSet("pdlab "+c.name, flag.ContinueOnError)}
	u.flags.SetOutput(os.Stderr)
	u.flags.Usage = func() {
		fmt.Fprintf(os.Stderr, "usage: pdlab %s [--dir DIR] %s\n%s\n", c.name, c.args, c.about)
	}
	u.flags.StringVar(&u.dir, "dir", lab.DefaultDir(), "the lab's folder")
	switch c.name {
	case "up":
		u.flags.Int("hosts", 1, "how many hosts")
		u.flags.String("profile", "plain", "what the hosts pretend to be")
		u.flags.Bool("vm", false, "one emulated machine with a kernel and two NUMA nodes of its own")
		u.flags.Bool("until-stdin-closes", false, "end the lab when stdin ends")
	case "reimage":
		u.flags.Bool("trust", false, "put the new host key into known_hosts")
	}
	passesOn := c.name == "run" || c.name == "exec"
	for {
		if err := u.flags.Parse(args); err != nil {
			return nil, err
		}
		args = u.flags.Args()
		if passesOn || len(args) == 0 {
			u.args = append(u.args, args...)
			return u, nil
		}
		u.args = append(u.args, args[0])
		args = args[1:]
	}
}

// want checks the number of arguments; most of -1 is any number.
func (u *call) want(least, most int, usage string) error {
	if len(u.args) < least || (most >= 0 && len(u.args) > most) {
		return fmt.Errorf("usage: %s %s", u.flags.Name(), usage)
	}
	return nil
}

func (u *call) flag(name string) any {
	return u.flags.Lookup(name).Value.(flag.Getter).Get()
}

// host opens the lab and picks the host that the first argument names.
func (u *call) host() (*lab.Host, error) {
	l, err := lab.Open(u.dir)
	if err != nil {
		return nil, err
	}
	h := l.Host(u.args[0])
	_, err = h.Status()
	return h, err
}
