package shell

import (
	"fmt"
	"strings"

	"github.com/pdprov/pdprov/remote"
)

// Refusal says why a script did not start although the login did: what sudo or the
// login shell said. Host is left to the caller; call it after Run.
func (t *Talk) Refusal(exit int, user string) *remote.ConnectError {
	select {
	case err := <-t.noPassword:
		return &remote.ConnectError{
			Reason: remote.SudoDenied, Detail: "sudo asks for a password, and none was given", Remedy: err.Error(), Err: err,
		}
	default:
	}
	said := t.said()
	if t.start.sudo != NoSudo {
		for _, r := range sudoRefusals {
			if strings.Contains(said, r.text) {
				return &remote.ConnectError{Reason: remote.SudoDenied, Detail: r.detail + evidence(said), Remedy: strings.ReplaceAll(r.remedy, "USER", user)}
			}
		}
	}
	return &remote.ConnectError{
		Reason: remote.NoShell,
		Detail: fmt.Sprintf("the login shell ended with status %d before the script could start%s", exit, evidence(said)),
		Remedy: "give the user a shell that runs /bin/sh -c '...', and check that ssh HOST true works",
	}
}

// said is what sudo and the login shell said before the script started, or instead.
func (t *Talk) said() string {
	return strings.TrimSpace(t.errGate.noise() + "\n" + t.outGate.noise())
}

// Evidence is the end of what the login shell said, as a part of a sentence; call it
// after Run or Stop.
func (t *Talk) Evidence() string { return evidence(t.said()) }

// evidence is the end of what was said, as a part of a sentence.
func evidence(said string) string {
	lines := strings.FieldsFunc(said, func(r rune) bool { return r == '\n' || r == '\r' })
	if len(lines) == 0 {
		return " and said nothing"
	}
	lines = lines[max(len(lines)-3, 0):]
	return fmt.Sprintf(": %q", strings.Join(lines, "; "))
}

const rule = "allow it with a line in /etc/sudoers.d: USER ALL=(ALL) NOPASSWD: ALL"

// sudoRefusals are what sudo says under LC_ALL=C (sudo 1.9 and sudo-rs), the most
// telling first.
var sudoRefusals = []struct{ text, detail, remedy string }{
	{"Sorry, try again", "sudo did not accept the password", "check the password; it was tried once"},
	{"incorrect password attempt", "sudo did not accept the password", "check the password; it was tried once"},
	{"Authentication failed", "sudo did not accept the password", "check the password; it was tried once"},
	{"must have a tty", "sudo demands a terminal", "take the setting requiretty off for this user: Defaults:USER !requiretty"},
	{"not in the sudoers", "the user may not use sudo", rule},
	{"may not run sudo", "the user may not use sudo", rule},
	{"is not allowed to", "the user may not run /bin/sh through sudo", rule},
	{"I'm afraid I can't do that", "the user may not use sudo", rule},
	{"password is required", "sudo asks for a password", "give one with --ask-sudo-pass, or " + rule},
	{"interactive authentication is required", "sudo asks for a password", "give one with --ask-sudo-pass, or " + rule},
	{"no password was provided", "sudo asks for a password", "give one with --ask-sudo-pass, or " + rule},
	{"sudo: not found", "sudo is not installed", "install sudo, or connect as root"},
	{"sudo: ", "sudo refuses", "see what sudo -l says for the user on the host"},
}
