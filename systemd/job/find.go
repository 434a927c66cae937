package job

import (
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/pdprov/pdprov/internal/posixsh"
	"github.com/pdprov/pdprov/remote"
	"github.com/pdprov/pdprov/stages/stage"
)

// look defines the three parts of a look at jobs, in the order in which they must be
// asked: the marks of those that have started, the units, the results. So a unit that has
// ended has its result, and one that started meanwhile is not taken for one that has gone.
// What is printed is hex or systemd's own words: nothing can look like another line.
const look = `
show() {
  while IFS= read -r line; do printf '%s\n' "$2$line"; done <"$1"
}
started() {
  [ -f "$1/started" ] || return 0
  printf 'job=%s\n' "$1"
  show "$1/started" '' || [ ! -f "$1/started" ]
}
units() {
  read -r boot </proc/sys/kernel/random/boot_id || return
  printf 'current=%s\n' "$boot"
  systemctl show -p Id,ActiveState,InvocationID "$1"
}
result() {
  [ -f "$1/result" ] || return 0
  printf 'job=%s\n' "$1"
  show "$1/result" result- || [ ! -f "$1/result" ]
}
sizes() {
  echo sizes
  wc -c "$@" 2>/dev/null || :
}
`

// listScript looks at all jobs. One that is removed meanwhile is none.
const listScript = `[ -e ` + Root + ` ] || exit 66
` + listAll

// runningScript lists the jobs only when one runs: a plan asks for no others, and a host
// may keep many.
const runningScript = `[ -e ` + Root + ` ] || exit 66
states=$(systemctl show -p ActiveState 'pdprov-*.service') || exit 1
case $states in
*=active* | *=activating* | *=deactivating* | *=reloading* | *=refreshing*) ;;
*) echo whole; exit 0 ;;
esac
` + listAll

const listAll = `cd ` + Root + ` || exit 1` + look + `
for d in ./*/*; do started "$d" || exit 1; done
units 'pdprov-*.service' || exit 1
for d in ./*/*; do result "$d" || exit 1; done
sizes ./*/*/log
echo whole`

const probeID = "pdprov jobs"

// Probe asks for the jobs of a host; it lists none while none runs.
func Probe() stage.Probe {
	return stage.Probe{ID: probeID, Script: runningScript, Quick: true, MaxBytes: 4 << 20, Reads: []stage.Resource{"path:" + Root}}
}

// Find lists all jobs that a host keeps, the oldest first.
func Find(ctx context.Context, h remote.Host) ([]Status, error) {
	res, err := h.Run(ctx, remote.Command{Script: listScript})
	if err != nil {
		return nil, err
	}
	switch res.Exit {
	case 0:
		return Parse(stage.Answer{Outcome: stage.Answered, Body: res.Stdout})
	case stage.AbsentExit:
		return nil, nil
	default:
		return nil, fmt.Errorf("the jobs of the host cannot be listed: exit status %d: %s", res.Exit, said(res))
	}
}

// Parse reads the answer to Probe. Absent means that no job ever ran.
func Parse(a stage.Answer) ([]Status, error) {
	if a.Outcome == stage.Absent {
		return nil, nil
	}
	if a.Outcome != stage.Answered {
		return nil, fmt.Errorf("the jobs of the host are unknown: %s", a.Unknown(probeID).Reason)
	}
	seen := read(a.Body)
	if !seen.whole {
		return nil, fmt.Errorf("the list of the host's jobs is not whole")
	}
	list := make([]Status, 0, len(seen.jobs))
	for _, dir := range seen.dirs {
		list = append(list, seen.status(dir))
	}
	slices.SortStableFunc(list, func(a, b Status) int { return cmp.Compare(a.Since, b.Since) })
	return list, nil
}

// script puts words before a constant script that reads them as "$@".
func script(text string, words ...string) string {
	return "set -- " + posixsh.Words(words...) + "\n" + text
}

func hexText(s string) string { return hex.EncodeToString([]byte(s)) }

func unhex(s string) string {
	b, err := hex.DecodeString(s)
	if err != nil {
		return ""
	}
	return strings.ToValidUTF8(string(b), "?")
}
