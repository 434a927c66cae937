package job

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pdprov/pdprov/internal/posixsh"
)

// stopScript is run by systemd when the job has ended, however that was. Files may
// hold secrets, so they go.
const stopScript = `#!/bin/sh
cd "$1" || exit 1
rm -rf files env
{
  printf '%s\n' "service=$SERVICE_RESULT" "code=$EXIT_CODE" "status=$EXIT_STATUS" "invocation=$INVOCATION_ID"
  printf 'boot='; cat /proc/sys/kernel/random/boot_id
} >result.tmp && sync result.tmp && mv -f result.tmp result
`

// runScript runs the steps one after the other. Each is a file of its own, so that
// the line numbers in a shell's message fit, and the first that fails ends the job.
func runScript(s Spec) string {
	var b strings.Builder
	b.WriteString("#!/bin/sh\nset -eu\numask 022\nLC_ALL=C HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin\n" +
		"PDPROV_FILES=$PWD/files\nexport LC_ALL HOME PATH PDPROV_FILES\n. ./env/all\n")
	for i, step := range s.Steps {
		title := strings.Join(strings.Fields(step.Title), " ")
		fmt.Fprintf(&b, "printf '%%s\\n' %s\n( . ./env/step%d; cd /; exec /bin/sh -eu \"$PDPROV_FILES/../step%d.sh\" )\n", posixsh.Quote("== "+title), i, i)
	}
	return b.String()
}

// envScript exports variables; it is a file with mode 0600 and never an argument.
func envScript(env map[string]string) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(env)) {
		fmt.Fprintf(&b, "export %s=%s\n", name, posixsh.Quote(env[name]))
	}
	return b.String()
}

// part is one file of a job's folder.
type part struct {
	path string // below the folder, quoted where it is used
	data []byte
}

// parts are all files of a job; the names that steps give to their files were checked.
func parts(s Spec, started string) []part {
	list := []part{
		{"run.sh", []byte(runScript(s))},
		{"stop.sh", []byte(stopScript)},
		{"env/all", []byte(envScript(s.Env))},
		{"about", []byte(started)},
	}
	for i, step := range s.Steps {
		list = append(list,
			part{fmt.Sprintf("step%d.sh", i), []byte(step.Script + "\n")},
			part{fmt.Sprintf("env/step%d", i), []byte(envScript(step.Env))})
		for _, f := range step.Files {
			list = append(list, part{"files/" + f.Name, f.Data})
		}
	}
	return list
}

// startHead defines what a start needs. Its words are the unit, the folder, the stage's
// name as a folder, and the timeout in seconds.
const startHead = `set -eu
umask 077
unit=$1 dir=$2 slug=$3 max=$4
shift 4
[ -d /run/systemd/system ] || { echo "this host does not run systemd as its first process" >&2; exit 69; }
state=$(systemctl show -p ActiveState --value "$unit") || { echo "systemctl does not answer" >&2; exit 69; }
case $state in
  inactive) ;;
  failed) systemctl reset-failed "$unit" ;;
  active|activating|deactivating|reloading|refreshing) exit 75 ;;
  *) echo "systemd says \"$state\" of $unit" >&2; exit 69 ;;
esac
tmp=$dir.new.$$
trap 'rm -rf "$tmp"' EXIT
[ ! -e "$dir/started" ] || { echo "this run has done this stage already" >&2; exit 70; }
rm -rf ` + Root + `/*/"$slug".new.* "$dir"
mkdir -p "$tmp/files" "$tmp/env"
put() { head -c "$2" >"$tmp/$1"; [ "$(wc -c <"$tmp/$1")" -eq "$2" ] || { echo "$1 did not arrive whole" >&2; exit 74; }; }
`

// startTail marks the folder as started, gives it its name, and starts the unit. A
// second starter in between is refused by systemd, because the name is taken; its
// folder then goes again.
const startTail = `cat /proc/sys/kernel/random/boot_id >"$tmp/boot"
{ cat "$tmp/about"; printf 'boot=%s\n' "$(cat "$tmp/boot")"; printf 'since=%s\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ)"; } >"$tmp/started"
rm -f "$tmp/about" "$tmp/boot"
: >"$tmp/log"
sync "$tmp/started" "$tmp/run.sh"
mv -T "$tmp" "$dir"
trap - EXIT
systemd-run --quiet --unit="$unit" --slice=pdprov.slice --working-directory="$dir" \
  -p Type=exec -p KillMode=control-group -p TimeoutStopSec=20 -p "RuntimeMaxSec=$max" \
  -p StandardInput=null -p "StandardOutput=append:$dir/log" -p "StandardError=append:$dir/log" \
  -p UMask=0077 -p "ExecStopPost=/bin/sh $dir/stop.sh $dir" "$@" /bin/sh "$dir/run.sh" || {
  rc=$?
  rm -rf "$dir"
  case $(systemctl show -p ActiveState --value "$unit") in active|activating|deactivating|reloading|refreshing) exit 75 ;; esac
  echo "systemd-run failed with status $rc" >&2
  exit 69
}
`

// startScript starts one job; the data of its parts follows on stdin in order.
func startScript(s Spec, ref Ref, list []part) (string, []byte) {
	var b strings.Builder
	var data bytes.Buffer
	words := []string{ref.Unit, ref.Dir, Slug(s.Stage), fmt.Sprint(max(1, int(s.Timeout.Seconds())))}
	if s.MemoryMax != "" {
		words = append(words, "-p", "MemoryMax="+s.MemoryMax, "-p", "MemorySwapMax=0")
	}
	if s.CPUQuota != "" {
		words = append(words, "-p", "CPUQuota="+s.CPUQuota)
	}
	b.WriteString("set -- " + posixsh.Words(words...) + "\n" + startHead)
	for _, p := range list {
		b.WriteString("put " + posixsh.Words(p.path, fmt.Sprint(len(p.data))) + "\n")
		data.Write(p.data)
	}
	b.WriteString(startTail)
	return b.String(), data.Bytes()
}
