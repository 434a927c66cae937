# shellcheck shell=sh
# Functions for steps with apt. Nothing here hides an exit status behind a pipe: an
# interrupted dpkg has been seen to end "apt-get | tail" with status 0.

lists_valid_minutes=1440
reinstall_option=''
lock_files='/var/lib/dpkg/lock-frontend /var/lib/dpkg/lock /var/lib/apt/lists/lock /var/cache/apt/archives/lock'

# No program that a package starts may ask a question or restart a service unasked.
export DEBIAN_FRONTEND=noninteractive DEBIAN_PRIORITY=critical UCF_FORCE_CONFFOLD=1
export NEEDRESTART_MODE=l NEEDRESTART_SUSPEND=1
export APT_LISTCHANGES_FRONTEND=none APT_LISTBUGS_FRONTEND=none

# apt_get runs apt-get as an unattended caller must.
apt_get() {
  apt-get -y -q \
    -o "DPkg::Lock::Timeout=$lock_wait_seconds" \
    -o Dpkg::Options::=--force-confdef -o Dpkg::Options::=--force-confold \
    -o Dpkg::Use-Pty=0 -o APT::Color=0 "$@"
}

# lock_holder prints who holds one of the lock files.
lock_holder() {
  for file in $lock_files; do
    if fcntl_holder "$file"; then return 0; fi
  done
  return 1
}

# repair_dpkg finishes what an interrupted dpkg left behind; apt refuses to work before.
repair_dpkg() {
  audit=$(dpkg --audit) || : # newer ones exit 1 where there is something to say
  journal=$(find /var/lib/dpkg/updates -type f -name '[0-9]*' 2>/dev/null) || journal=''
  if [ -z "$audit$journal" ]; then return 0; fi
  echo "dpkg was interrupted; repairing with dpkg --configure -a"
  if [ -n "$audit" ]; then printf '%s\n' "$audit"; fi
  dpkg --force-confdef --force-confold --configure -a </dev/null
}

# refresh WHY [OPTION...] fetches the package lists.
refresh() {
  echo "apt-get update: $1"
  shift
  wait_for_locks || return 1
  rc=0
  said=$(apt_get "$@" update 2>&1) || rc=$?
  printf '%s\n' "$said"
  explain_update "$said"
  return "$rc"
}

# explain_update says in our words what apt's words mean.
explain_update() {
  case $1 in
  *' is not valid yet '*)
    echo "the clock of this host is behind: it says $(date -u '+%Y-%m-%d %H:%M:%S UTC'), and the repository was signed later than that. Set the clock (timedatectl, chronyc makestep), then apply again." >&2
    ;;
  *'Conflicting values set for option Signed-By'*)
    echo 'two sources of apt name the same repository with different keys; remove one of them:' >&2
    grep -ls '^[^#]*[Ss]igned-[Bb]y' /etc/apt/sources.list /etc/apt/sources.list.d/* >&2 || :
    ;;
  *'No space left on device'* | *' into data and signature failed'* | *"Couldn't create temporary file"* | *'Unable to mkstemp'*)
    echo 'apt could not write a file, which it may call a missing signature. Make room where df shows none:' >&2
    df -P /tmp /var/lib/apt/lists /var/cache/apt >&2 || :
    ;;
  *NO_PUBKEY* | *'is not signed'* | *EXPKEYSIG* | *'signatures couldn'*)
    echo 'the repository is not signed by the key that is pinned for it; nothing of it is used' >&2
    ;;
  esac
}

# refresh_source FILE URL fetches the lists of one source alone, and every failure counts.
refresh_source() {
  refresh "$2" -o "Dir::Etc::sourcelist=$1" -o Dir::Etc::sourceparts=- \
    -o APT::Get::List-Cleanup=0 -o APT::Update::Error-Mode=any
}

# fetch_file URL FILE downloads a file with what apt itself uses, beside its place, and
# moves it there whole.
fetch_file() {
  mkdir -p -- "${2%/*}"
  rm -f -- "$2.part"
  /usr/lib/apt/apt-helper -o DPkg::Lock::Timeout=0 download-file "$1" "$2.part" || {
    echo "$1 could not be downloaded" >&2
    rm -f -- "$2.part"
    return 1
  }
  chmod 0644 -- "$2.part"
  mv -fT -- "$2.part" "$2"
}

# refresh_old_lists fetches the package lists where there are none or where they are
# so old that what they name may be gone from the mirror. Old lists may still do, so
# a failure is fatal only without any.
refresh_old_lists() {
  lists=$(find /var/lib/apt/lists -maxdepth 1 -type f -name '*Packages*')
  if [ -z "$lists" ]; then
    refresh 'the host has no package lists'
    return
  fi
  fresh=$(find /var/lib/apt/lists /var/lib/apt/periodic/update-success-stamp \
    -mmin "-$lists_valid_minutes" 2>/dev/null) || :
  if [ -z "$fresh" ]; then
    refresh "the package lists are older than $lists_valid_minutes minutes" ||
      echo 'apt-get update failed; going on with the lists that are there' >&2
  fi
}

# offers NAME prints the versions on offer, newest first.
offers() { apt-cache madison -- "$1" | cut -d '|' -f 2 | tr -d ' ' | uniq; }

# on_offer says whether apt can install NAME or NAME=VERSION. Not by "apt-cache
# policy": like apt-get it takes a name that it does not know for a pattern, and then
# "libfoo1.0" may be a hundred packages. "apt-cache show" exits 0 for a version that is
# not there. madison does neither, and lists nothing for a virtual package.
on_offer() {
  versions=$(offers "${1%%=*}")
  case $1 in
  *=*) printf '%s\n' "$versions" | grep -Fxq -- "${1#*=}" ;;
  *) [ -n "$versions" ] ;;
  esac
}

# know makes sure that apt knows every package and version, once with fresh lists.
know() {
  for want do
    if ! on_offer "$want"; then
      refresh "apt does not know $want"
      break
    fi
  done
  for want do
    if ! on_offer "$want"; then
      unknown_package "$want"
      return 1
    fi
  done
}

# unknown_package NAME[=VERSION] says what there is instead: other versions, packages that
# provide it, or the same name with other numbers.
unknown_package() {
  name=${1%%=*}
  echo "apt does not offer $1, also with fresh package lists" >&2
  versions=$(apt-cache madison -- "$name") || {
    echo "what there is of $name could not be asked: apt-cache madison failed" >&2
    return 0
  }
  if [ -n "$versions" ]; then
    printf 'versions on offer:\n%s\n' "$versions" >&2
    return 0
  fi
  echo "no source of apt on this host has any version of $name" >&2
  providers=$(apt-cache showpkg -- "$name" 2>/dev/null | sed -n '/^Reverse Provides/,$p' | sed 1d) || :
  if [ -n "$providers" ]; then
    printf 'it is a virtual package; name one of those that provide it:\n%s\n' "$providers" >&2
  fi
  others=$(other_numbers "$name")
  if [ -n "$others" ]; then echo "with other numbers there is:$others" >&2; fi
}

# other_numbers NAME prints the packages whose names differ in the numbers at the end only:
# cuda-toolkit-13-0 for cuda-toolkit-13-7.
other_numbers() {
  stem=${1%%-[0-9]*}
  if [ "$stem" = "$1" ]; then return 0; fi
  apt-cache pkgnames "$stem-" 2>/dev/null | sort -V | while read -r name; do
    case ${name#"$stem-"} in
    *[!0-9.-]*) ;;
    *) printf ' %s' "$name" ;;
    esac
  done
}

# is_in says whether the list $2 names the package $1. apt leaves the host's own
# architecture out, a plan may spell it.
is_in() {
  for item in $2; do
    if [ "${item%":$native"}" = "${1%":$native"}" ]; then return 0; fi
  done
  return 1
}

# downgrades says whether a NAME=VERSION of the arguments is older than what is installed.
downgrades() {
  for want do
    case $want in
    *=*) now=$(dpkg-query -W -f='${Version}' -- "${want%%=*}" 2>/dev/null) || continue ;;
    *) continue ;;
    esac
    if [ -n "$now" ] && dpkg --compare-versions "${want#*=}" lt "$now"; then
      echo "downgrade: ${want%%=*} from $now to ${want#*=}"
      found_downgrade=--allow-downgrades
    fi
  done
}

# transact MAY_REMOVE MAY_CHANGE_HELD ARG... installs every NAME and NAME=VERSION and
# removes every NAME-, after a rehearsal that must not remove a package outside the
# first list nor touch a held one outside the second.
transact() {
  may_remove=$1
  may_change_held=$2
  shift 2
  wait_for_locks
  found_downgrade=''
  downgrades "$@"
  held_option=''
  if [ -n "$may_change_held" ]; then held_option=--allow-change-held-packages; fi
  if ! rehearsal=$(apt_get install -s $reinstall_option $found_downgrade $held_option -- "$@"); then
    printf '%s\n' "$rehearsal"
    echo 'apt cannot do this; nothing was changed' >&2
    return 1
  fi
  held=$(apt-mark showhold)
  refuse_side_effects "$held"
  apt_get install $reinstall_option $found_downgrade $held_option -- "$@"
}

# reinstall takes what transact takes.
reinstall() {
  reinstall_option=--reinstall
  transact "$@"
}

# refuse_side_effects HELD judges $rehearsal.
refuse_side_effects() {
  bad=''
  native=$(dpkg --print-architecture)
  while read -r action name _; do
    case $action in
    Remv) is_in "$name" "$may_remove" || bad="$bad, remove $name" ;;
    Inst) if is_in "$name" "$1"; then is_in "$name" "$may_change_held" || bad="$bad, change held $name"; fi ;;
    esac
  done <<END_OF_REHEARSAL
$rehearsal
END_OF_REHEARSAL
  if [ -z "$bad" ]; then return 0; fi
  echo "refused, nothing was changed: apt would also ${bad#, }" >&2
  echo 'list a package in "absent" if it may go, or in "packages" if its hold may be passed over' >&2
  return 1
}
