// Package lock keeps two controllers from changing a host at the same time. The holder
// is a shell on the host that needs a heartbeat: it is gone soon after its controller,
// and no clock is compared.
package lock

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/pdprov/pdprov/remote/probe"
	"github.com/pdprov/pdprov/stages/stage"
)

// Path of the lock's file. It lies on a file system that a reboot empties.
const Path = "/run/pdprov.lock"

// brokenPath has a line for each run whose lock was taken away: its key, and who did it.
const brokenPath = Path + ".broken"

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
func (h Holder) String() string { return h.words("since") }

func (h Holder) words(since string) string {
	if h.Owner == "" && h.Since == "" {
		return "somebody who left no name"
	}
	who := probe.Printable(fmt.Sprintf("%s@%s %s %s (%s, process %d)", h.Owner, h.From, since, h.Since, h.Doing, h.PID))
	if len(who) > maxWords {
		who = strings.ToValidUTF8(who[:maxWords], "") + "..."
	}
	return who
}

// maxWords of a holder are shown; the file may hold anything.
const maxWords = 200

const probeID = "pdprov lock"

// heldScript prints the holder's words when the lock is held: when the shell that the
// file names has the file open. Only when it has not, and the file is not empty as after
// a release, is the lock tried, shared and for an instant; holdScript tries twice, so
// that this disturbs nobody. /proc/locks is no help: it names the child that took the
// lock.
const heldScript = plainScript + `[ -e ` + Path + ` ] || exit 66
words=$(cat ` + Path + `) || exit 1
pid=${words##*\"shell\":\"}
pid=${pid%%\"*}
case $pid in '' | *[!0-9]*) pid=none ;; esac
# shellcheck disable=SC3013 # dash, bash and busybox know -ef
if [ "/proc/$pid/fd/9" -ef ` + Path + ` ]; then printf '%s\n' "$words"; exit 0; fi
[ -s ` + Path + ` ] || exit 66
exec 9<` + Path + ` || exit 1
flock -s -n 9
case $? in
  0) exit 66 ;;
  1) printf '%s\n' "$words" ;;
  *) exit 1 ;;
esac`

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

// key names the run in brokenPath; "" for a holder without one.
func (h Holder) key() string {
	if h.Run == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(h.Run))
	return hex.EncodeToString(sum[:16])
}
