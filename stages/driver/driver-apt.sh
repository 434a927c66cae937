# shellcheck shell=sh
# Functions for steps of the driver on hosts with apt, beside those of apt.sh.

preferences=/etc/apt/preferences
manager=apt
joint='='

# driver_rows prints NAME VERSION of the driver's packages that are installed. The name of
# a foreign architecture's has that behind it, as in what apt prints.
driver_rows() {
  native=$(dpkg --print-architecture)
  set -f
  # shellcheck disable=SC2086
  rows=$(dpkg-query -W -f '${db:Status-Status} ${Package} ${Architecture} ${Version}\n' $driver_names 2>/dev/null) || :
  set +f
  while read -r status name arch version; do
    case $status in not-installed | config-files) continue ;; esac
    if fits "$name" "$not_of_driver"; then continue; fi
    case $arch in all | "$native") ;; *) name=$name:$arch ;; esac
    upstream=${version#*:}
    case $name in
    linux-modules-nvidia-*) echo "$name $upstream" ;;
    *) case ${upstream%%-*} in [1-9][0-9][0-9].[0-9]*) echo "$name ${upstream%%-*}" ;; esac ;;
    esac
  done <<END_OF_ROWS
$rows
END_OF_ROWS
}

# install_driver PATTERN SET... installs the first set that is on offer, with every
# package of the driver that is there already in the same version: the metapackages ask
# for at least theirs only, so apt is told by a pin for this one transaction.
install_driver() {
  pattern=$1
  refresh_old_lists
  choose "$@" || { refresh "apt does not know the driver $1" && choose "$@"; } || {
    not_offered "$@"
    return 1
  }
  echo "chosen:$chosen"
  there=$(driver_packages | tr '\n' ' ')
  for name in $there; do
    version=$(matching "$name" "$exact")
    case " $chosen " in
    *" $name="*) ;;
    *) if [ -n "$version" ]; then chosen="$chosen $name=$version"; fi ;;
    esac
  done
  {
    if [ -e "$preferences" ]; then cat -- "$preferences"; fi
    printf '\n\nPackage: %s\nPin: version %s-*\nPin-Priority: 1001\n' "$driver_names" "$exact"
    printf '\nPackage: %s\nPin: version %s\nPin-Priority: 1001\n' "$driver_names" "$exact"
  } >"$PDPROV_FILES/preferences"
  printf 'Dir::Etc::preferences "%s";\n' "$PDPROV_FILES/preferences" >"$PDPROV_FILES/apt.conf"
  export APT_CONFIG="$PDPROV_FILES/apt.conf"
  # shellcheck disable=SC2086
  transact "$there" "$there" $chosen
  unset APT_CONFIG
}

# install_headers KERNEL... installs the headers of kernels, and the package through
# which later kernels bring theirs. A package whose files somebody removed comes again.
install_headers() {
  refresh_old_lists
  wanted=''
  for k do
    if [ -e "/lib/modules/$k/build/" ]; then continue; fi
    wanted="$wanted linux-headers-$k"
  done
  kernels="$*"
  flavour=${1#*-} # of 6.8.0-79-generic, 6.1.0-57-cloud-amd64, 6.12.48+deb13-amd64
  case $flavour in [0-9]*-*) flavour=${flavour#*-} ;; esac
  for name in "linux-headers-$flavour" linux-headers-generic linux-headers-amd64; do
    if on_offer "$name"; then
      wanted="$wanted $name"
      break
    fi
  done
  # shellcheck disable=SC2086
  set -- $wanted
  [ "$#" -gt 0 ] || return 0
  know "$@" || {
    echo 'without headers no module can be built. If the kernel is no longer on offer, boot one that is, or install its headers by hand.' >&2
    return 1
  }
  transact '' '' "$@"
  lost=''
  for k in $kernels; do
    if ! [ -e "/lib/modules/$k/build/" ]; then lost="$lost linux-headers-$k"; fi
  done
  [ -n "$lost" ] || return 0
  echo "installed, and without their files:$lost"
  # shellcheck disable=SC2086
  reinstall '' '' $lost
}

# is_held NAME says whether $held, the list of holds, has a package.
is_held() {
  case "
$held
" in *"
$1
"*) return 0 ;; esac
  return 1
}

# hold_driver holds the packages of the driver, and remembers which nobody had held.
hold_driver() {
  # shellcheck disable=SC2046
  set -- $(packages_to_hold)
  [ "$#" -gt 0 ] || return 0
  held=$(apt-mark showhold)
  for name do
    if ! is_held "$name"; then record "$driver_holds" "$name"; fi
  done
  apt-mark hold "$@"
}

# release_holds takes away the holds that hold_driver set, and no other.
release_holds() {
  if ! [ -e "$driver_holds" ]; then return 0; fi
  held=$(apt-mark showhold)
  while read -r name; do
    if is_held "$name"; then apt-mark unhold "$name"; fi
  done <"$driver_holds"
  rm -f -- "$driver_holds"
}

# owner_of FILE prints the package that brings a file, also one that is not there now.
owner_of() {
  dpkg-query -S "$1" 2>/dev/null | grep -v '^diversion ' | sed -n '1s/[:,].*//p'
}

# reinstall_same NAME unpacks a package again in the version that it has.
reinstall_same() {
  version=$(dpkg-query -W -f '${Version}' -- "$1")
  reinstall '' "$1" "$1=$version"
}

# pin_branch NAME PINNINGS installs the package that keeps apt at a branch, in the place of
# those that are installed, and remembers when nobody had installed it.
pin_branch() {
  refresh_old_lists
  know "$1"
  case " $2 " in *" $1 "*) ;; *) record "$driver_pinning" "$1" ;; esac
  transact "$2" '' "$1"
  purge_pinnings "$1"
}

# release_pinnings removes the packages that pin_branch installed, and no other.
release_pinnings() {
  purge_pinnings ''
  rm -f -- "$driver_pinning"
}

# purge_pinnings BUT takes what is recorded away, but for one. Their settings go as well:
# these are what keeps apt at a branch.
purge_pinnings() {
  if ! [ -e "$driver_pinning" ]; then return 0; fi
  wait_for_locks
  while read -r name; do
    [ "$name" != "$1" ] || continue
    dpkg --purge -- "$name" </dev/null
  done <"$driver_pinning"
  if grep -Fx -- "$1" "$driver_pinning" >"$PDPROV_FILES/pinning"; then cp -- "$PDPROV_FILES/pinning" "$driver_pinning"; fi
}
