# shellcheck shell=sh
# Functions for steps with dnf, 4 and 5. Nothing here hides an exit status behind a pipe.

verb=install
newline='
'
lock_files='/var/cache/dnf/metadata_lock.pid /var/cache/dnf/download_lock.pid /var/lib/dnf/rpmdb_lock.pid /var/run/dnf.pid /var/run/yum.pid'
transaction_lock=/var/lib/rpm/.rpm.lock

# lock_holder prints who holds one of dnf's locks, which are files with a process number,
# or rpm's, which is an fcntl lock.
lock_holder() {
  for file in $lock_files; do
    pid=''
    { read -r pid <"$file"; } 2>/dev/null || [ -n "$pid" ] || continue
    case $pid in '' | *[!0-9]*) continue ;; esac
    if [ -e "/proc/$pid/stat" ]; then
      holder_of "$file" "$pid"
      return 0
    fi
  done
  fcntl_holder "$transaction_lock"
}

# repair_rpm takes away the older of two versions that a transaction left which was cut
# off between bringing the new one and removing the old. Kernels are meant to be several.
repair_rpm() {
  twice=$(rpm -qa --qf '%{NAME}.%{ARCH}\n' | sort | uniq -d | grep -v -e '^kernel' -e '^gpg-pubkey') || return 0
  echo 'an earlier transaction was cut off; of these packages there are two versions:'
  printf '%s\n' "$twice"
  echo 'repairing with dnf remove --duplicates'
  dnf -y remove --duplicates
}

# fetch_key URL FILE FINGERPRINT downloads a key beside its place, and moves it there when
# it is the one key asked for: dnf would trust whatever key lies there.
fetch_key() {
  mkdir -p -- "${2%/*}"
  rm -f -- "$2.part"
  curl -fsSL --retry 3 -o "$2.part" -- "$1" || {
    echo "$1 could not be downloaded" >&2
    rm -f -- "$2.part"
    return 1
  }
  home=$(mktemp -d)
  keys=$(gpg --batch --no-options --homedir "$home" --with-colons --show-keys -- "$2.part") || keys=''
  rm -rf -- "$home"
  prints=$(printf '%s\n' "$keys" | while IFS=: read -r kind _ _ _ _ _ _ _ _ print _; do
    case $kind in
    pub) primary=yes ;;
    fpr) if [ "${primary-}" = yes ]; then printf '%s ' "$print"; fi && primary='' ;;
    esac
  done)
  if [ "$prints" != "$3 " ]; then
    echo "$1 is not the key $3; gpg finds in it: ${prints:-nothing}. It is not used." >&2
    rm -f -- "$2.part"
    return 1
  fi
  chmod 0644 -- "$2.part"
  mv -fT -- "$2.part" "$2"
}

# refresh_source ID URL fetches the lists of one repository alone, and a failure counts.
refresh_source() {
  wait_for_locks || return 1
  rc=0
  said=$(dnf -y --disablerepo='*' --enablerepo="$1" --setopt="$1.skip_if_unavailable=0" --refresh makecache 2>&1) || rc=$?
  printf '%s\n' "$said"
  case $rc:$said in
  0:*) ;;
  *GPG* | *OpenPGP* | *'key'*)
    echo "what $2 offers is not signed by the key that is pinned for it; nothing of it is used" >&2
    ;;
  *) echo "the package lists of $2 could not be fetched" >&2 ;;
  esac
  return "$rc"
}

# offers NAME prints the versions on offer, EPOCH:VERSION-RELEASE, newest first. Streams
# of modules hide what belongs to others, version locks do not count.
offers() {
  found=$(dnf_unlocked -q repoquery --available --qf '%{epoch}:%{version}-%{release}\n' -- "$1") || return 1
  printf '%s\n' "$found" | grep -v '^$' | sort -u -V -r
}

# dnf_unlocked runs dnf without its version locks. dnf 5 cannot leave them out of one
# transaction; unlock takes them away before.
dnf_unlocked() {
  if [ -e /usr/bin/dnf5 ]; then
    dnf "$@"
  else
    dnf --disableplugin=versionlock "$@"
  fi
}

# unlock NAME... takes version locks away where dnf cannot pass over them.
unlock() {
  [ -e /usr/bin/dnf5 ] || return 0
  [ "$#" -gt 0 ] || return 0
  dnf -q versionlock delete "$@" || :
}

# lock NAME... locks packages at the versions that are installed, and only there. dnf 4
# needs a plugin for that.
lock() {
  [ "$#" -gt 0 ] || return 0
  dnf -q versionlock list >/dev/null 2>&1 || dnf -y install 'dnf-command(versionlock)' || {
    echo 'version locks need the package python3-dnf-plugin-versionlock, which dnf does not offer here. Enable the repository that has it, or set pin = "none".' >&2
    return 1
  }
  dnf -q versionlock delete "$@" >/dev/null 2>&1 || :
  dnf -y versionlock add "$@"
}

# fresh_lists fetches the package lists, which may name what is gone from the mirror. Old
# ones may still do.
fresh_lists() {
  dnf -y -q --refresh makecache || echo 'dnf could not fetch the package lists; going on with those that are there' >&2
}

# install_newest NAME... installs the newest on offer of each by its exact version, since
# "dnf install NAME" would also take what merely provides that name.
install_newest() {
  fresh_lists
  chosen=''
  for name do
    versions=$(offers "$name") || {
      echo "dnf could not say what it offers of $name; nothing was changed" >&2
      return 1
    }
    if [ -z "$versions" ]; then
      echo "dnf does not offer $name, also with fresh package lists; nothing was changed" >&2
      return 1
    fi
    chosen="$chosen $name-${versions%%"$newline"*}"
  done
  echo "chosen:$chosen"
  # shellcheck disable=SC2086
  transact '' $chosen
}

# reinstall NAME... puts the files of packages back, in the version that is installed
# where it is still on offer, else in the newest.
reinstall() {
  fresh_lists
  again=''
  gone=''
  for name do
    now=$(rpm -q --qf '%{EPOCHNUM}:%{VERSION}-%{RELEASE}\n' -- "$name") || now=none
    versions=$(offers "$name") || return 1
    case "$newline$versions$newline" in
    *"$newline$now$newline"*) again="$again $name-$now" ;;
    *) gone="$gone $name" ;;
    esac
  done
  # shellcheck disable=SC2086
  if [ -n "$again" ]; then
    verb=reinstall
    transact '' $again
    verb=install
  fi
  # shellcheck disable=SC2086
  if [ -n "$gone" ]; then install_newest $gone; fi
}

# transact MAY_REMOVE NAME-EVR... installs exactly these, up or down, or reinstalls them
# where $verb says so, after a rehearsal that must not remove a package outside of the
# first list.
transact() {
  may_remove=$1
  shift
  wait_for_locks
  rehearsal=$(dnf_unlocked --assumeno --allowerasing "$verb" "$@" 2>&1) || :
  case $rehearsal in
  *'Operation aborted'*) ;;
  *'Nothing to do'*)
    echo 'dnf has nothing to do'
    return 0
    ;;
  *)
    printf '%s\n' "$rehearsal"
    case $rehearsal in
    *'nothing provides dkms'*)
      echo 'DKMS comes from EPEL: enable it (dnf install epel-release, or what your system calls it) and apply again.' >&2
      ;;
    esac
    echo 'dnf cannot do this; nothing was changed' >&2
    return 1
    ;;
  esac
  refuse_removals || return 1
  dnf_unlocked -y --allowerasing "$verb" "$@"
}

# refuse_removals judges $rehearsal: the rows below the headings that begin with
# "Removing" each begin with a package, and those that begin with "replacing" name one that
# goes for another: "replacing  NAME.ARCH VERSION" with dnf 4, "replacing NAME ARCH" with 5.
refuse_removals() {
  bad=''
  removing=''
  while IFS= read -r line; do
    case $line in
    Removing*:) removing=yes ;;
    ' '[!\ ]*)
      line=${line# }
      case " $may_remove " in
      *" ${line%% *} "*) ;;
      *) if [ -n "$removing" ]; then bad="$bad, ${line%% *}"; fi ;;
      esac
      ;;
    ' '*replacing\ *)
      replaced=${line#*replacing }
      replaced=${replaced#"${replaced%%[! ]*}"}
      replaced=${replaced%% *}
      case " $may_remove " in
      *" $replaced "* | *" ${replaced%.*} "*) ;;
      *) bad="$bad, $replaced" ;;
      esac
      ;;
    ' '*) ;;
    *) removing='' ;;
    esac
  done <<END_OF_REHEARSAL
$rehearsal
END_OF_REHEARSAL
  if [ -z "$bad" ]; then return 0; fi
  echo "refused, nothing was changed: dnf would also remove ${bad#, }" >&2
  return 1
}

# enable_stream MODULE STREAM... enables the first stream that is on offer, unless one of
# them is; 2 means that no repository has such a module.
enable_stream() {
  module=$1
  shift
  now=$(sed -n 's/^stream *= *//p' "/etc/dnf/modules.d/$module.module" 2>/dev/null) || now=''
  if grep -qs '^state *= *enabled' "/etc/dnf/modules.d/$module.module"; then
    for stream do
      if [ "$stream" = "$now" ]; then return 0; fi
    done
  fi
  list=$(dnf -q --refresh module list "$module" 2>/dev/null) || return 2
  streams=$(printf '%s\n' "$list" | while read -r name stream _; do
    if [ "$name" = "$module" ]; then printf '%s ' "$stream"; fi
  done)
  for stream do
    case " $streams" in
    *" $stream "*)
      dnf -y module reset "$module"
      dnf -y module enable "$module:$stream"
      return
      ;;
    esac
  done
  echo "the module $module has no stream $*; on offer: $streams" >&2
  return 1
}
