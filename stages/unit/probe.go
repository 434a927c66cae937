package unit

import (
	"github.com/pdprov/pdprov/internal/record"
	"github.com/pdprov/pdprov/stages/stage"
)

func stateProbe(name string) stage.Probe {
	return stage.Probe{
		ID:       "unit " + name,
		Script:   script,
		Args:     []string{name},
		Merge:    true,
		MaxBytes: 4 << 20,
		Reads: []stage.Resource{
			stage.Resource("unit:" + name),
			stage.Resource("path:" + folder + name),
			stage.Resource("path:" + folder + name + ".d"),
		},
	}
}

// script takes names of units and starts one systemctl show, one is-enabled (show
// keeps the enablement of a loaded unit from before a change made by hand), one
// stat and one date for all of them. is-enabled ends at the first unit that does
// not exist, so it is asked about those that do.
const script = record.Say + `
now=$(date +%s.%N) || exit 1
say now "$now"
shown=$(systemctl show --timestamp=us+utc -p Id,LoadState,ActiveState,SubState,UnitFileState,FragmentPath,DropInPaths,NeedDaemonReload,ActiveEnterTimestamp,StateChangeTimestamp,ExecMainStartTimestamp,InvocationID,MainPID,Result,ExecMainStatus,NRestarts,ControlGroup -- "$@") || exit 1
for unit in "$@"; do
  say unit "$unit"
done
say show "$shown"
loads=
fragments=
nl='
'
while IFS= read -r line; do
  case $line in
  LoadState=*) loads="$loads ${line#*=}" ;;
  FragmentPath=/*) fragments="$fragments${line#*=}$nl" ;;
  esac
done <<SHOWN
$shown
SHOWN

enabled() {
  for unit in "$@"; do
    shift
    loads=${loads# }
    load=${loads%% *}
    loads=${loads#"$load"}
    [ "$load" = not-found ] || set -- "$@" "$unit"
  done
  [ "$#" -eq 0 ] || systemctl is-enabled -- "$@" 2>&1
}
rc=0
states=$(enabled "$@") || rc=$?
say enabled "$rc
$states"

files() {
  for unit in "$@"; do
    shift
    suffix=${unit##*.}
    for dir in /etc/systemd/system.control /run/systemd/system.control /etc/systemd/system /run/systemd/system /usr/local/lib/systemd/system /usr/lib/systemd/system; do
      for path in "$dir/$unit" "$dir/$unit.d" "$dir/$unit.d"/*.conf "$dir/${unit%%@*}@.$suffix.d"/*.conf "$dir/$suffix.d"/*.conf; do
        if [ -e "$path" ] || [ -h "$path" ]; then
          say file "$path"
          set -- "$@" "$path"
        fi
      done
    done
  done
  while IFS= read -r path; do
    if [ -e "$path" ]; then
      say file "$path"
      set -- "$@" "$path"
    fi
  done <<FRAGMENTS
$fragments
FRAGMENTS
  rc=0
  times=
  [ "$#" -eq 0 ] || times=$(stat -c '=%.9Y' -- "$@" 2>&1) || rc=$?
  say times "$rc
$times"
}
(files "$@")
say end ''
`
