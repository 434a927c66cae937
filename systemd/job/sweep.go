package job

import "github.com/pdprov/pdprov/internal/record"

// dropScript removes, in a job's folder, what only a running job needs and what may
// hold secrets. env goes last: while it is there, the next sweep tries again.
const dropScript = `rm -rf files step*.sh run.sh spare env`

// sweepScript does so for the jobs that a power cut or a crash ended, for which no
// stop.sh ran, and removes the folders of starts that never came to a job. The lock of
// starters must be held, else a start that is under way looks like a dead one. Where a
// tool fails, a folder is left alone: it may be that of a running job.
const sweepScript = record.Show + `read -r boot </proc/sys/kernel/random/boot_id || say "the boot id of this host cannot be read"
for left in ` + Root + `/*/*/env; do
  old=${left%/env}
  [ -d "$left" ] || continue
  case $old in *.new.*) continue ;; esac
  if [ ! -e "$old/started" ]; then
    case $(unit_state "pdprov-${old##*/}.service") in
    inactive|failed) rm -rf "$old" || :; rmdir "${old%/*}" 2>/dev/null || : ;;
    esac
  elif mark=$(show "$old/started"); then
    case $mark in
    *"boot=$boot"*) ;;
    *) (cd "$old" && ` + dropScript + `) || : ;;
    esac
  fi
done
`
