# shellcheck shell=sh
# Functions with which a step waits for a package manager that somebody else uses. What
# holds the locks is told by lock_holder of apt.sh and dnf.sh, behind this.

lock_wait_seconds=300

# holder_of FILE PID names a process.
holder_of() {
  name='another process'
  { read -r name <"/proc/$2/comm"; } 2>/dev/null || :
  printf '%s is held by %s (process %s)\n' "$1" "$name" "$2"
}

# fcntl_holder FILE prints who holds an fcntl lock on a file. Only the kernel's list shows
# those.
fcntl_holder() {
  inode=$(stat -c %i -- "$1" 2>/dev/null) || return 1
  while read -r _ type _ _ pid where _; do
    if [ "$type" = POSIX ] && [ "${where##*:}" = "$inode" ]; then
      holder_of "$1" "$pid"
      return 0
    fi
  done </proc/locks
  return 1
}

# wait_for_locks waits until nobody holds the locks and says who does. It only looks;
# whoever is quicker is waited for by the package manager itself.
wait_for_locks() {
  waited=0
  said=''
  while holder=$(lock_holder); do
    if [ "$holder" != "$said" ]; then
      said=$holder
      echo "waiting: $holder"
    fi
    if [ "$waited" -ge "$lock_wait_seconds" ]; then
      echo "gave up after $waited s: $holder" >&2
      return 1
    fi
    sleep 1
    waited=$((waited + 1))
  done
}

