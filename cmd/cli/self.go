package cli

import (
	"os"
	"os/user"
)

// identity tells other people who applies, and from where.
type identity struct {
	owner, from string
	pid         int
}

// self is this process; under sudo its owner is the person behind it.
func self() identity {
	id := identity{owner: "unknown", from: "unknown", pid: os.Getpid()}
	if u, err := user.Current(); err == nil {
		id.owner = u.Username
	}
	if name := os.Getenv("SUDO_USER"); name != "" {
		id.owner = name
	}
	if name, err := os.Hostname(); err == nil {
		id.from = name
	}
	return id
}
