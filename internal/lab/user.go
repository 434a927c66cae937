package lab

import (
	"context"
	"fmt"
	"os"
)

// Sudo is what a user may do through sudo.
type Sudo string

// The kinds of Sudo; the zero value is none.
const (
	NoSudo       Sudo = ""
	PasswordSudo Sudo = "password"
	FreeSudo     Sudo = "nopasswd"
)

// User is an account for tests.
type User struct {
	Name     string
	Shell    string // "" means /bin/bash
	Sudo     Sudo
	Password string // "" leaves the account without one
	Key      string // authorized_keys line; "" means the lab's own
}

// addUser gets name, shell, sudoers line, password and key as arguments or on stdin;
// stdin keeps the password out of the process list.
const addUser = `set -eu
IFS= read -r password
useradd --create-home --shell "$2" -- "$1"
[ -z "$password" ] || printf '%s:%s\n' "$1" "$password" | chpasswd
home=$(getent passwd "$1" | cut -d: -f6)
install -d -m 0700 -o "$1" -g "$1" "$home/.ssh"
printf '%s\n' "$4" > "$home/.ssh/authorized_keys"
chown "$1:$1" "$home/.ssh/authorized_keys"
if [ -n "$3" ]
then
  printf '%s\n' "$1 $3" >> /etc/sudoers.d/pdlab
  chmod 0440 /etc/sudoers.d/pdlab
fi
`

// AddUser makes an account that accepts a key over ssh.
func (h *Host) AddUser(ctx context.Context, u User) error {
	if u.Shell == "" {
		u.Shell = "/bin/bash"
	}
	if u.Key == "" {
		key, err := os.ReadFile(h.lab.Identity() + ".pub")
		if err != nil {
			return err
		}
		u.Key = string(key)
	}
	rules := map[Sudo]string{NoSudo: "", PasswordSudo: "ALL=(ALL:ALL) ALL", FreeSudo: "ALL=(ALL:ALL) NOPASSWD: ALL"}
	rule, ok := rules[u.Sudo]
	if !ok {
		return fmt.Errorf("sudo %q: it is none, password or nopasswd", u.Sudo)
	}
	_, err := h.ExecInput(ctx, u.Password+"\n", "/bin/sh", "-c", addUser, "adduser", u.Name, u.Shell, rule, u.Key)
	return err
}
