# shellcheck shell=sh
# Functions for steps of the driver, beside those of apt.sh. What belongs to the driver
# is told by its version: three digits, a dot, and more.

driver_patterns='cuda-drivers* libcuda1 libnvidia-* linux-modules-nvidia-* nvidia-* xserver-xorg-video-nvidia*'

# driver_packages prints the names of the driver's packages that are installed.
driver_packages() {
  set -f
  # shellcheck disable=SC2086
  rows=$(dpkg-query -W -f '${db:Status-Status} ${Package} ${Version}\n' $driver_patterns 2>/dev/null) || :
  set +f
  while read -r status name version; do
    case $status in not-installed | config-files) continue ;; esac
    upstream=${version#*:}
    case $name in
    linux-modules-nvidia-*) echo "$name" ;;
    *) case ${upstream%%-*} in [1-9][0-9][0-9].[0-9]*) echo "$name" ;; esac ;;
    esac
  done <<END_OF_ROWS
$rows
END_OF_ROWS
}

# matching NAME PATTERN prints the newest version of a package on offer that fits
# "580.95.05" or "580.*". Modules that come prebuilt have the version of their kernel.
matching() {
  apt-cache madison -- "$1" | cut -d '|' -f 2 | tr -d ' ' | while read -r offered; do
    upstream=${offered#*:}
    # shellcheck disable=SC2254
    case $1 in
    linux-modules-nvidia-*) echo "$offered" && break ;;
    *) case ${upstream%%-*} in $2) echo "$offered" && break ;; esac ;;
    esac
  done
}

# choose PATTERN SET... sets $chosen to NAME=VERSION of the first set that is on offer whole.
choose() {
  pattern=$1
  shift
  for set do
    chosen=''
    for name in $set; do
      version=$(matching "$name" "$pattern")
      if [ -z "$version" ]; then
        chosen=''
        break
      fi
      chosen="$chosen $name=$version"
    done
    if [ -n "$chosen" ]; then return 0; fi
  done
  return 1
}

# not_offered PATTERN SET... says what was looked for and what there is.
not_offered() {
  pattern=$1
  shift
  for set do
    echo "looked for: $set" >&2
    for name in $set; do
      offers=$(apt-cache madison -- "$name" | cut -d '|' -f 2 | sort -u | tr -d '\n')
      if [ -n "$offers" ]; then echo "  on offer: $name$offers" >&2; fi
    done
  done
  echo "apt offers no driver $pattern, also with fresh package lists; no other version is taken for it" >&2
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
  for want in $chosen; do
    case $want in
    linux-modules-nvidia-*) ;;
    *)
      exact=${want#*=}
      exact=${exact#*:}
      exact=${exact%%-*}
      break
      ;;
    esac
  done
  there=$(driver_packages | tr '\n' ' ')
  for name in $there; do
    version=$(matching "$name" "$exact")
    case " $chosen " in
    *" $name="*) ;;
    *) if [ -n "$version" ]; then chosen="$chosen $name=$version"; fi ;;
    esac
  done
  {
    if [ -e /etc/apt/preferences ]; then cat /etc/apt/preferences; fi
    printf '\nPackage: %s\nPin: version %s-*\nPin-Priority: 1001\n' "$driver_patterns" "$exact"
    printf '\nPackage: %s\nPin: version %s\nPin-Priority: 1001\n' "$driver_patterns" "$exact"
  } >"$PDPROV_FILES/preferences"
  printf 'Dir::Etc::preferences "%s";\n' "$PDPROV_FILES/preferences" >"$PDPROV_FILES/apt.conf"
  export APT_CONFIG="$PDPROV_FILES/apt.conf"
  # shellcheck disable=SC2086
  transact "$there" "$there" $chosen
  unset APT_CONFIG
}

# bootable prints the running kernel, and every other one that can boot.
bootable() {
  uname -r
  for dir in /lib/modules/*/; do
    k=${dir%/}
    k=${k##*/}
    if [ -e "/boot/vmlinuz-$k" ] && [ "$k" != "$(uname -r)" ]; then echo "$k"; fi
  done
}

# install_headers KERNEL... installs the headers of kernels, and the package through
# which later kernels bring theirs.
install_headers() {
  refresh_old_lists
  wanted=''
  for k do
    if [ -e "/lib/modules/$k/build/" ]; then continue; fi
    wanted="$wanted linux-headers-$k"
  done
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
}

# module_is KERNEL VERSION FLAVOUR says whether the right module lies there.
module_is() {
  export PATH="$PATH:/usr/sbin:/sbin"
  found=$(modinfo -k "$1" -F version nvidia 2>/dev/null) || found=none
  license=$(modinfo -k "$1" -F license nvidia 2>/dev/null) || license=none
  # shellcheck disable=SC2254
  case $found in $2) ;; *) return 1 ;; esac
  case $license in
  NVIDIA) [ "$3" = proprietary ] ;;
  *) [ "$3" = open ] ;;
  esac
}

# prove_modules VERSION FLAVOUR KERNEL... looks at the module on the disk for each
# kernel, has DKMS build what is missing, and fails when it stays so: apt ends with 0
# also where a build failed.
prove_modules() {
  version=$1
  flavour=$2
  shift 2
  for k do
    if module_is "$k" "$version" "$flavour"; then continue; fi
    if command -v dkms >/dev/null; then
      echo "kernel $k has no module $version ($flavour); building it"
      dkms autoinstall -k "$k" || :
      depmod "$k" || :
    fi
    if module_is "$k" "$version" "$flavour"; then continue; fi
    echo "kernel $k still has no module $version ($flavour): modinfo says version $found, license $license" >&2
    for log in /var/lib/dkms/nvidia/*/build/make.log; do
      if [ -e "$log" ]; then
        echo "the end of $log:" >&2
        tail -n 20 -- "$log" >&2
      fi
    done
    return 1
  done
}

# blacklist_into_initramfs makes the boot see the files below /etc/modprobe.d.
blacklist_into_initramfs() {
  export PATH="$PATH:/usr/sbin:/sbin"
  if command -v update-initramfs >/dev/null; then
    update-initramfs -u -k all
  elif command -v dracut >/dev/null; then
    dracut -f --regenerate-all
  fi
}

# hold_driver holds every package of the driver.
hold_driver() {
  # shellcheck disable=SC2046
  set -- $(driver_packages)
  [ "$#" -gt 0 ] || return 0
  apt-mark hold "$@"
}

# load_module loads what nothing stands in the way of.
load_module() {
  export PATH="$PATH:/usr/sbin:/sbin"
  modprobe nvidia || {
    echo 'the module could not be loaded. "Key was rejected by service" means Secure Boot; "No such device" that the GPUs are bound to another driver or the module does not know them.' >&2
    return 1
  }
  modprobe nvidia-uvm || :
  if command -v nvidia-modprobe >/dev/null; then nvidia-modprobe -u -c=0 || :; fi
}

# reload_module takes the old module out, which fails where a program uses a GPU.
reload_module() {
  export PATH="$PATH:/usr/sbin:/sbin"
  for unit in nvidia-persistenced nvidia-fabricmanager nvidia-dcgm; do
    if systemctl is-active -q "$unit.service"; then systemctl stop "$unit.service"; fi
  done
  for name in nvidia_uvm nvidia_drm nvidia_modeset nvidia_peermem nvidia; do
    [ -d "/sys/module/$name" ] || continue
    modprobe -r "$name" || {
      echo 'the loaded module cannot be taken out: something uses a GPU (fuser -v /dev/nvidia* names it). Stop that, or set reboot = "if-needed".' >&2
      return 1
    }
  done
  if [ -d /sys/module/nvidia ]; then
    echo 'the module nvidia is still loaded after modprobe -r' >&2
    return 1
  fi
  load_module
}
