package job

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/pdprov/pdprov/internal/posixsh"
)

// Exit statuses of the start script.
const (
	exitRefused = 69 // with the reason on stderr
	exitRunning = 75
)

// startHead is what comes before the data. Its words are the unit, the folder, the
// timeout in seconds and the number of steps; then come more words for systemd-run.
//
// A link that falls silent in the middle must not leave half a job that goes on hours
// later, when the link is back: the data has to come in time. dd and not head, because
// not every head leaves alone what follows the bytes that it was asked for.
const startHead = `set -eu
umask 077
unit=$1 dir=$2 max=$3 steps=$4
shift 4
say() { echo "$1" >&2; exit 69; }
unit_state() { systemctl show -p ActiveState --value "$1" || say "systemctl does not answer on this host"; }
lock() {
  [ ! -h /run/pdprov-start.lock ] || say "/run/pdprov-start.lock is a link, so nothing is written there; find out who made it, and remove it"
  exec 9<>/run/pdprov-start.lock || say "the lock of starters cannot be opened"
  flock -w 60 9 || say "another start on this host does not end"
}
[ -d /run/systemd/system ] || say "this host does not run systemd as its first process, and jobs are systemd units"
for leftover in ` + Root + `/*/*.new.*; do
  [ -d "$leftover" ] || continue
  kill -0 "${leftover##*.}" 2>/dev/null || rm -rf "$leftover"
done
tmp=$dir.new.$$
trap 'rm -rf "$tmp"; rmdir "${dir%/*}" 2>/dev/null || :' EXIT
trap 'exit 70' HUP INT TERM PIPE
# Twice, because a start that fails may remove the empty folder of the run in between.
mkdir -p "$tmp/files" "$tmp/env" 2>/dev/null || mkdir -p "$tmp/files" "$tmp/env" || say "the folder for the job cannot be made"
while [ "$steps" -gt 0 ]; do steps=$((steps - 1)); mkdir "$tmp/files/$steps"; done
take() { [ "$(($1 * $2))" -eq 0 ] || timeout "$((20 + $1 * $2 / 50000))" dd bs="$1" count="$2" iflag=fullblock status=none; }
put() {
  { take 65536 "$(($2 / 65536))" && take "$(($2 % 65536))" 1; } >"$tmp/$1" || say "the files of the job could not be written to $dir, nothing was started"
  [ "$(wc -c <"$tmp/$1")" -eq "$2" ] || say "the files of the job did not arrive whole, nothing was started"
}
`

// startTail gives the folder its name and starts the unit. One starter at a time
// does so; it finds out what the others have started.
const startTail = `: >"$tmp/log"
sync "$tmp/run.sh" "$tmp/stop.sh"
lock
` + sweepScript + `[ ! -e "$dir/started" ] || exit 0
tries=20
until state=$(unit_state "$unit"); [ "$state" != deactivating ] || [ "$tries" -eq 0 ]; do
  tries=$((tries - 1))
  sleep 0.1
done
[ -n "$state" ] || exit 69
case $state in
  inactive) ;;
  failed) systemctl reset-failed "$unit" || : ;; # it may be forgotten meanwhile
  *) exit 75 ;;
esac
rm -rf "$dir"
mv -T "$tmp" "$dir"
tries=20
until answer=$(systemd-run --quiet --unit="$unit" --slice=pdprov.slice \
  -p Type=exec -p CollectMode=inactive-or-failed -p KillMode=control-group -p TimeoutStopSec=20 -p "RuntimeMaxSec=$max" \
  -p StandardInput=null -p "StandardOutput=append:$dir/log" -p "StandardError=append:$dir/log" \
  -p UMask=0077 -p "ExecStartPre=/bin/sh $dir/begin.sh $dir" -p "ExecStopPost=/bin/sh $dir/stop.sh $dir" \
  "$@" /bin/sh "$dir/run.sh" 2>&1)
do
  [ ! -e "$dir/started" ] || exit 0
  tries=$((tries - 1))
  case $(unit_state "$unit"),$answer in
    active,*|activating,*|deactivating,*|reloading,*|refreshing,*) exit 75 ;;
    failed,*) systemctl reset-failed "$unit" || : ;;
    *already*) ;; # ended, but not forgotten yet
    *) tries=0 ;;
  esac
  if [ "$tries" -eq 0 ]; then
    rm -rf "$dir"
    say "systemd-run: $answer"
  fi
  sleep 0.1
done
`

// startScript starts one job; the data of its parts follows on stdin in order.
func startScript(s Spec, ref Ref) (string, io.Reader) {
	var b strings.Builder
	var data []io.Reader
	words := []string{ref.Unit, ref.Dir, fmt.Sprint(max(1, int(s.Timeout.Seconds()))), fmt.Sprint(len(s.Steps))}
	if s.MemoryMax != "" {
		words = append(words, "-p", "MemoryMax="+s.MemoryMax, "-p", "MemorySwapMax=0")
	}
	if s.CPUQuota != "" {
		words = append(words, "-p", "CPUQuota="+s.CPUQuota)
	}
	b.WriteString("set -- " + posixsh.Words(words...) + "\n" + startHead)
	for _, p := range parts(s, ref) {
		b.WriteString("put " + posixsh.Words(p.path, fmt.Sprint(len(p.data))) + "\n")
		data = append(data, bytes.NewReader(p.data))
	}
	b.WriteString(startTail)
	return b.String(), io.MultiReader(data...)
}
