# shellcheck shell=sh
# Functions for steps of the driver on hosts with dnf, beside those of dnf.sh.

manager=dnf
joint=-

# driver_rows prints NAME VERSION of the driver's packages that are installed.
driver_rows() {
  set -f
  # shellcheck disable=SC2086
  rows=$(rpm -qa --qf '%{NAME} %{VERSION}\n' $driver_names)
  set +f
  while read -r name version; do
    if fits "$name" "$not_of_driver"; then continue; fi
    case $version in [1-9][0-9][0-9].[0-9]*) echo "$name $version" ;; esac
  done <<END_OF_ROWS
$rows
END_OF_ROWS
}

# install_driver PATTERN SET... installs the first set that is on offer, with every
# package of the driver that is there already in the same version.
install_driver() {
  wait_for_locks
  there=$(driver_packages | tr '\n' ' ')
  if [ -e "$driver_holds" ]; then
    # shellcheck disable=SC2046
    unlock $(cat -- "$driver_holds")
  fi
  choose "$@" || { dnf -y --refresh makecache && choose "$@"; } || {
    not_offered "$@"
    if [ -e /etc/dnf/modules.d/nvidia-driver.module ]; then
      echo "a module stream hides what belongs to others; enabled is nvidia-driver:$(sed -n 's/^stream *= *//p' /etc/dnf/modules.d/nvidia-driver.module)" >&2
    fi
    return 1
  }
  echo "chosen:$chosen"
  for name in $there; do
    version=$(matching "$name" "$exact")
    case "$chosen " in
    *" $name-$version "*) ;;
    *) if [ -n "$version" ]; then chosen="$chosen $name-$version"; fi ;;
    esac
  done
  # shellcheck disable=SC2086
  transact "$there" $chosen
}

# use_stream STREAM... enables the stream of the driver's module that shows its packages;
# where no repository has that module there is nothing to enable.
use_stream() {
  enable_stream nvidia-driver "$@" || [ "$?" -eq 2 ]
}

# pin_stream STREAM... is use_stream where the stream is what keeps the branch.
pin_stream() {
  rc=0
  enable_stream nvidia-driver "$@" || rc=$?
  if [ "$rc" -eq 2 ]; then
    echo 'no repository of this host has the module nvidia-driver, so no stream of it can keep the branch. Set pin = "hold".' >&2
  fi
  return "$rc"
}

# headers_of KERNEL prints the package with the headers of a kernel, by the name of the
# package that brought it: kernel-core, kernel-uek-core, kernel6.12.
headers_of() {
  name=''
  for file in "/lib/modules/$1/vmlinuz" "/boot/vmlinuz-$1"; do
    name=$(rpm -qf --qf '%{NAME}\n' "$file" 2>/dev/null) && break
  done
  case $name in
  kernel*-core) echo "${name%-core}-devel-$1" ;;
  kernel*) echo "$name-devel-$1" ;;
  *) echo "kernel-devel-$1" ;;
  esac
}

# install_headers KERNEL... installs the headers of kernels, and the package through
# which later kernels bring theirs. A package whose files somebody removed comes again.
install_headers() {
  wanted=''
  for k do
    if [ -e "/lib/modules/$k/build/" ]; then continue; fi
    wanted="$wanted $(headers_of "$k")"
  done
  if [ -n "$(offers kernel-devel-matched)" ]; then wanted="$wanted kernel-devel-matched"; fi
  [ -n "$wanted" ] || return 0
  # shellcheck disable=SC2086
  transact '' $wanted || {
    echo 'without headers no module can be built. If the kernel is no longer on offer, boot one that is, or install its headers by hand.' >&2
    return 1
  }
  lost=''
  for k do
    if ! [ -e "/lib/modules/$k/build/" ]; then lost="$lost $(headers_of "$k")"; fi
  done
  [ -n "$lost" ] || return 0
  echo "installed, and without their files:$lost"
  # shellcheck disable=SC2086
  dnf_unlocked -y reinstall $lost
}

# hold_driver NAME... locks the packages of the driver at their version, but for the names,
# which somebody else has locked. Older locks of ours go.
hold_driver() {
  locked=" $* "
  set --
  for name in $(packages_to_hold); do
    case $locked in *" $name "*) ;; *) set -- "$@" "$name" ;; esac
  done
  record "$driver_holds" "$@"
  lock "$@"
}

# release_holds takes away the version locks that hold_driver set.
release_holds() {
  if ! [ -e "$driver_holds" ]; then return 0; fi
  while read -r name; do
    dnf -q versionlock delete "$name" </dev/null || :
  done <"$driver_holds"
  rm -f -- "$driver_holds"
}

# owner_of FILE prints the package that brings a file, also one that is not there now.
owner_of() {
  if owner=$(rpm -q --whatprovides --qf '%{NAME}\n' "$1" 2>/dev/null); then printf '%s\n' "$owner" | head -n 1; fi
}

# reinstall_same NAME unpacks a package again in the version that it has.
reinstall_same() {
  wait_for_locks
  dnf_unlocked -y reinstall "$1"
}
