// Package shell starts a script through any login shell and tells its output from
// what that shell prints: the constant text for it, and the talk over three pipes.
package shell

import (
	"crypto/rand"
	"strconv"

	"github.com/pdprov/pdprov/internal/posixsh"
)

// bootstrap reads exactly $2 bytes of script from stdin, so that the rest of stdin
// is left to the script, and checks that they came whole: a link that is lost in
// the middle must not run half a script. It stays one line without a single quote,
// "!" or backslash, because fish and tcsh read it too. dd and not head, because
// busybox's head reads more from a pipe than it was asked for.
const bootstrap = `LC_ALL=C; export LC_ALL; echo "pdprov-ready $1" >&2; ` +
	`s=$(dd bs="$2" count=1 iflag=fullblock 2>/dev/null); ` +
	`case "$s" in *"#$1") ;; *) echo "the script did not arrive whole" >&2; exit 255;; esac; ` +
	`echo "pdprov-start $1" >&2; echo "pdprov-start $1"; set --; eval "unset s;$s"`

// The texts below become root first, where the user is not root already. $3 is
// bootstrap. LC_ALL comes first because sudo's own messages are read.
const (
	asRoot               = `LC_ALL=C; export LC_ALL; [ "$(id -u)" = 0 ] && exec /bin/sh -c "$3" pdprov "$1" "$2"; `
	becomeRoot           = asRoot + `exec sudo -n /bin/sh -c "$3" pdprov "$1" "$2"`
	becomeRootByPassword = asRoot + `exec sudo -S -p "pdprov-password $1" /bin/sh -c "$3" pdprov "$1" "$2"`
)

// Sudo says how a script becomes root.
type Sudo int

// The ways to root; the zero value stays the user.
const (
	NoSudo Sudo = iota
	WithoutPassword
	WithPassword
)

// Start is one start of one script.
type Start struct {
	nonce  string // marks what comes from pdprov in the host's output
	sudo   Sudo
	script string
}

// NewStart prepares the start of a script.
func NewStart(script string, sudo Sudo) Start {
	nonce := rand.Text()
	return Start{nonce: nonce, sudo: sudo, script: script + "\n#" + nonce}
}

// Argv is the command that starts the script. Nothing of the script is in it.
func (s Start) Argv() []string {
	length := strconv.Itoa(len(s.script))
	switch s.sudo {
	case WithoutPassword:
		return []string{"/bin/sh", "-c", becomeRoot, "pdprov", s.nonce, length, bootstrap}
	case WithPassword:
		return []string{"/bin/sh", "-c", becomeRootByPassword, "pdprov", s.nonce, length, bootstrap}
	default:
		return []string{"/bin/sh", "-c", bootstrap, "pdprov", s.nonce, length}
	}
}

// Line is Argv as one line for a login shell.
func (s Start) Line() string { return posixsh.Words(s.Argv()...) }
