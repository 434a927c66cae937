# shellcheck shell=sh
# Functions for steps of the driver, whatever installs it; behind them come those of the
# host's package manager, with the names $manager and $joint. What belongs to the driver is told by its name, one of
# $driver_names, and by its version: three digits, a dot, and more.

sys_module=/sys/module

# driver_packages prints the names of the driver's packages that are installed.
driver_packages() { driver_rows | cut -d ' ' -f 1; }

# fits NAME PATTERNS says whether a name, its architecture aside, fits one of the patterns.
fits() {
  set -f
  for name_pattern in $2; do
    # shellcheck disable=SC2254
    case ${1%%:*} in $name_pattern)
      set +f
      return 0
      ;;
    esac
  done
  set +f
  return 1
}

# is_apart NAME VERSION says whether a package may have another version than the driver:
# companions, and those with their version in their name.
is_apart() {
  case ${1%%:*} in *"-$2") return 0 ;; esac
  fits "$1" "$driver_companions"
}

# packages_to_hold prints those names but for what stands apart with another version than
# the driver's, which must be free to go its own way.
packages_to_hold() {
  rows=$(driver_rows)
  versions=$(printf '%s\n' "$rows" | while read -r name version; do
    if fits "$name" "$own_versions"; then continue; fi
    if ! is_apart "$name" "$version"; then printf ' %s' "$version"; fi
  done)
  printf '%s\n' "$rows" | while read -r name version; do
    if is_apart "$name" "$version"; then
      case "$versions " in *" $version "*) ;; *) continue ;; esac
    fi
    echo "$name"
  done
}

# matching NAME PATTERN prints the newest version of a package on offer that fits
# "580.95.05" or "580.*". Modules that come prebuilt have the version of their kernel.
matching() {
  offers "$1" | while read -r offered; do
    upstream=${offered#*:}
    # shellcheck disable=SC2254
    case $1 in
    linux-modules-nvidia-*) echo "$offered" && break ;;
    *) case ${upstream%%-*} in $2) echo "$offered" && break ;; esac ;;
    esac
  done
}

# choose PATTERN SET... sets $chosen to what the package manager takes for the first set that
# is on offer whole, NAME=VERSION or NAME-VERSION, and $exact to the driver's version in it.
choose() {
  pattern=$1
  shift
  for set do
    chosen=''
    exact=''
    for name in $set; do
      version=$(matching "$name" "$pattern")
      if [ -z "$version" ]; then
        chosen=''
        break
      fi
      chosen="$chosen $name$joint$version"
      case $name in linux-modules-nvidia-*) continue ;; esac
      version=${version#*:}
      exact=${exact:-${version%%-*}}
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
      versions=$(offers "$name" | tr '\n' ' ')
      if [ -n "$versions" ]; then echo "  on offer: $name $versions" >&2; fi
    done
  done
  echo "$manager offers no driver $pattern, also with fresh package lists; no other version is taken for it" >&2
}

# record FILE NAME... writes down what pdprov is about to do, one of $driver_holds and
# $driver_pinning, so that it and nothing else can be undone.
record() {
  file=$1
  shift
  mkdir -p -- "${file%/*}"
  for name do
    grep -Fxqs -- "$name" "$file" || printf '%s\n' "$name" >>"$file"
  done
}

# bring_smi brings nvidia-smi back where the driver's packages are there and it is not.
bring_smi() {
  if command -v nvidia-smi >/dev/null; then return 0; fi
  owner=$(owner_of /usr/bin/nvidia-smi)
  if [ -z "$owner" ]; then
    echo 'nvidia-smi is missing, and none of the packages that are installed brings /usr/bin/nvidia-smi. Install the one of this driver that does (nvidia-utils-BRANCH, nvidia-driver-cuda or nvidia-smi), then apply again.' >&2
    return 1
  fi
  echo "$owner has lost /usr/bin/nvidia-smi"
  reinstall_same "$owner"
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
  # Of "580.*" the library's version is the right one.
  # shellcheck disable=SC2231
  for lib in /usr/lib/*-linux-gnu/libnvidia-ml.so.$version /usr/lib64/libnvidia-ml.so.$version; do
    if [ -e "$lib" ]; then
      version=${lib##*.so.}
      break
    fi
  done
  for k do
    if module_is "$k" "$version" "$flavour"; then continue; fi
    if command -v dkms >/dev/null; then
      echo "kernel $k has no module $version ($flavour); building it"
      dkms autoinstall -k "$k" || :
      depmod "$k" || :
    fi
    if module_is "$k" "$version" "$flavour"; then continue; fi
    if ! [ -e "/lib/modules/$k/build/" ]; then
      echo "the headers of kernel $k are not installed, without which DKMS builds nothing: set headers = true" >&2
    fi
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

# no_users fails where a program has a GPU open; the services that reload_module stops
# do not count.
no_users() {
  used=''
  for pid in $(find /proc/[0-9]*/fd -lname '/dev/nvidia*' 2>/dev/null | cut -d / -f 3 | sort -un); do
    name=$(cat "/proc/$pid/comm" 2>/dev/null) || continue
    if grep -q -E '/nvidia-(persistenced|fabricmanager|dcgm)\.service' "/proc/$pid/cgroup"; then continue; fi
    echo "process $pid ($name) uses a GPU" >&2
    used=1
  done
  if [ -n "$used" ]; then
    echo 'the module cannot be reloaded while a program uses a GPU. Nothing was changed. Stop that, or set reboot = "if-needed".' >&2
    return 1
  fi
}

# reload_module takes the old module out, which fails where a program uses a GPU, and loads
# the one on the disk. Whatever becomes of it, the services that it stopped run again.
reload_module() {
  stopped=''
  rc=0
  swap_module || rc=$?
  # shellcheck disable=SC2086
  if [ -n "$stopped" ]; then systemctl start $stopped || echo "not every one of these runs again:$stopped" >&2; fi
  return "$rc"
}

# swap_module sets $stopped. Its caller has to know how it ended, so that it ends by itself
# where something fails.
swap_module() {
  export PATH="$PATH:/usr/sbin:/sbin"
  for unit in nvidia-persistenced nvidia-fabricmanager nvidia-dcgm; do
    if systemctl is-active -q "$unit.service"; then
      stopped="$stopped $unit.service"
      systemctl stop "$unit.service" || return 1
    fi
  done
  for name in nvidia_uvm nvidia_drm nvidia_modeset nvidia_peermem nvidia; do
    [ -d "$sys_module/$name" ] || continue
    modprobe -r "$name" || {
      echo 'the loaded module cannot be taken out: something uses a GPU (fuser -v /dev/nvidia* names it). Stop that, or set reboot = "if-needed".' >&2
      modprobe nvidia-uvm || :
      return 1
    }
  done
  if [ -d "$sys_module/nvidia" ]; then
    echo 'the module nvidia is still loaded after modprobe -r' >&2
    return 1
  fi
  load_module
}
