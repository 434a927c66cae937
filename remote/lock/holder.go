// Package lock keeps two controllers from changing a host at the same time. The holder
// is a shell on the host that needs a heartbeat: it is gone soon after its controller,
// and no clock is compared.
package lock

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/pdprov/pdprov/remote/probe"
	"github.com/pdprov/pdprov/stages/stage"
)

// Path of the lock's file. It lies on a file system that a reboot empties.
const Path = "/run/pdprov.lock"

// Holder says who holds a host's lock.
type Holder struct {
	Owner string `json:"owner"` // "alice"
	From  string `json:"from"`  // the machine that pdprov runs on
	PID   int    `json:"pid"`   // of pdprov there
	Run   string `json:"run"`   // id of the apply
	Doing string `json:"doing"` // "apply"
	Since string `json:"since"` // the host's clock when the lock was taken, RFC 3339
	Shell string `json:"shell"` // process on the host that holds the lock
}

// String tells people who it is: "alice@laptop since 2026-11-30T06:12:01Z (apply, process 4711)".
func (h Holder) String() string {
	if h.Owner == "" && h.Since == "" {
		return "somebody who left no name"
	}
	return probe.Printable(fmt.Sprintf("%s@%s since %s (%s, process %d)", h.Owner, h.From, h.Since, h.Doing, h.PID))
}

const probeID = "pdprov lock"

// heldScript prints the holder's words when the lock is held: when the shell that the
// file names has the file open. It does not try the lock, which would disturb somebody
// who takes it, and does not read /proc/locks, which names the child that took it.
const heldScript = `[ -e ` + Path + ` ] || exit 66
words=$(cat ` + Path + `) || exit 1
pid=${words##*\"shell\":\"}
pid=${pid%%\"*}
case $pid in ''|*[!0-9]*) exit 66 ;; esac
held=no
# shellcheck disable=SC3013 # dash, bash and busybox know -ef
for f in "/proc/$pid/fd/"*; do [ ! "$f" -ef ` + Path + ` ] || held=yes; done
[ $held = yes ] || exit 66
printf '%s\n' "$words"`

// Probe asks who holds the lock. Absent means nobody.
func Probe() stage.Probe {
	return stage.Probe{ID: probeID, Script: heldScript, Quick: true, MaxBytes: 64 << 10, Reads: []stage.Resource{"path:" + Path}}
}

// Parse reads the answer to Probe.
func Parse(a stage.Answer) (Holder, bool) {
	if a.Outcome != stage.Answered {
		return Holder{}, false
	}
	return parseHolder(a.Body), true
}

func parseHolder(text []byte) Holder {
	var h Holder
	if json.Unmarshal(bytes.TrimSpace(text), &h) != nil {
		return Holder{}
	}
	return h
}

// encode leaves the end to the host, which knows its clock and the shell's process.
func (h Holder) encode() string {
	h.Since, h.Shell = "", ""
	text, err := json.Marshal(h)
	if err != nil {
		panic("lock: plain strings cannot fail to encode: " + err.Error())
	}
	return strings.TrimSuffix(string(text), `"since":"","shell":""}`)
}
