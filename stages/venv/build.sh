# shellcheck disable=SC2154 # the step assigns what is not assigned here
fail() {
  echo "pdprov: $1" >&2
  exit 1
}
unfinished=
trap '[ -z "$unfinished" ] || rm -rf -- "$unfinished"' EXIT
trap 'exit 143' HUP INT TERM
PATH=$PATH:/usr/local/bin:/root/.local/bin

[ -h "$path" ] || [ ! -e "$path" ] || fail "$path is no link; it is not replaced"
mkdir -p -- "$path.d"
current=$(readlink -- "$path") || current=

# added says whether another stage put a distribution there; that stage answers for it.
added() {
  for list in "$1"/pdprov.added/*; do
    [ -f "$list" ] || continue
    while read -r word _ folder; do
      [ "$word $folder" != "dist $2" ] || return 0
    done <"$list"
  done
  return 1
}

identify() (
  for site in "$1"/lib/python3*/site-packages; do
    cd -P -- "$site" || exit 1
    for item in *.dist-info *.egg-info *.egg-link; do
      [ -e "$item" ] || continue
      if added "$1" "$item"; then
        continue
      fi
      record=
      metadata=
      [ ! -f "./$item/RECORD" ] || record=$(sha256sum <"./$item/RECORD") || exit 1
      [ ! -f "./$item/METADATA" ] || metadata=$(sha256sum <"./$item/METADATA") || exit 1
      printf 'dist %s:%s %s\n' "${record%% *}" "${metadata%% *}" "$item"
    done
  done
)

# off lists the files that are not as their RECORD says.
off() (
  for site in "$1"/lib/python3*/site-packages; do
    cd -P -- "$site" || exit 1
    compare '' 1000000 "$1/pdprov.known" | {
      ended=
      while IFS= read -r line; do
        case $line in
        missing* | other*) printf '%s\n' "$line" ;;
        count*) ended=yes ;;
        esac
      done
      [ -n "$ended" ]
    } || exit 1
  done
)

whole() {
  [ -x "$1/bin/python" ] || return 1
  changed=$(off "$1") || return 1
  [ -z "$changed" ] || return 1
  found=$(identify "$1") || return 1
  wanted=$(cat <"$1/pdprov.stamp") || return 1
  [ "$wanted" = "lock $lock
$found" ]
}

# find_python sets python to the interpreter that the environment is made with.
find_python() {
  if [ "$source" != managed ]; then
    python=$(command -v "$command") || python=
    if [ -z "$python" ] && command -v uv >/dev/null; then
      python=$(uv python find "${version:-3}") || python=
    fi
    [ -n "$python" ] || fail "there is no $command on this host"
    return
  fi
  [ ! -f "$PDPROV_FILES/python_mirror" ] || UV_PYTHON_INSTALL_MIRROR=$(cat <"$PDPROV_FILES/python_mirror") || exit 1
  [ -z "${UV_PYTHON_INSTALL_MIRROR:-}" ] || export UV_PYTHON_INSTALL_MIRROR
  # Below /root no service of another user could start it.
  export UV_PYTHON_INSTALL_DIR="$managed" UV_PYTHON_INSTALL_BIN=0
  UV_PYTHON_DOWNLOADS=manual uv python install "$version" ||
    fail "uv could not install Python $version; a host that does not reach github.com needs python_mirror (a copy of python-build-standalone's releases), or python_source = \"system\" with a Python of its distribution"
  python=$(uv python find --managed-python "$version") || fail "uv installed Python $version and does not find it"
}

with_uv() {
  [ ! -f "$PDPROV_FILES/index_url" ] || UV_DEFAULT_INDEX=$(cat <"$PDPROV_FILES/index_url") || exit 1
  [ -z "${UV_DEFAULT_INDEX:-}" ] || export UV_DEFAULT_INDEX
  find_python
  uv venv --python "$python" "$env"
  set -- --link-mode copy --python "$env/bin/python"
  if [ -f "$PDPROV_FILES/pylock.toml" ]; then
    uv pip sync "$@" --preview-features pylock "$PDPROV_FILES/pylock.toml"
    return
  fi
  set -- "$@" --require-hashes
  [ -z "$no_deps" ] || set -- "$@" --no-deps
  if [ -n "$find_links" ]; then
    set -- "$@" --no-index --find-links "$find_links"
  elif [ -n "$backend" ]; then
    set -- "$@" --torch-backend "$backend"
  elif [ -s "$PDPROV_FILES/torch.lock" ]; then
    # From a mirror of torch's index come the packages of torch and no others.
    UV_DEFAULT_INDEX=$(cat <"$PDPROV_FILES/torch_index_url") uv pip install "$@" --no-deps --requirement "$PDPROV_FILES/torch.lock"
  fi
  uv pip install "$@" --requirement "$PDPROV_FILES/lock"
}

with_pip() {
  [ ! -f "$PDPROV_FILES/index_url" ] || PIP_INDEX_URL=$(cat <"$PDPROV_FILES/index_url") || exit 1
  [ -z "${PIP_INDEX_URL:-}" ] || export PIP_INDEX_URL
  find_python
  "$python" -c 'import ensurepip, venv' || fail "$python cannot make environments: install the package python3-venv"
  "$python" -m venv "$env"
  set -- --no-input --progress-bar off --use-pep517 --require-hashes
  [ -z "$no_deps" ] || set -- "$@" --no-deps
  if [ -n "$find_links" ]; then
    set -- "$@" --no-index --find-links "$find_links"
  elif [ -s "$PDPROV_FILES/torch.lock" ]; then
    PIP_INDEX_URL=$(cat <"$PDPROV_FILES/torch_index_url") "$env/bin/python" -m pip install "$@" --no-deps --requirement "$PDPROV_FILES/torch.lock"
  fi
  "$env/bin/python" -m pip install "$@" --requirement "$PDPROV_FILES/lock"
}

make() {
  unfinished=$env
  rm -rf -- "$env"
  case $installer in
  auto) if command -v uv >/dev/null; then with_uv; else with_pip; fi ;;
  uv) with_uv ;;
  pip) with_pip ;;
  esac
  got=$("$env/bin/python" -c 'import platform; print(platform.python_version())')
  if [ -n "$version" ]; then
    case $got. in
    "$version".*) ;;
    *) fail "Python $version is wanted, $python is $got" ;;
    esac
  fi
  off "$env" >"$env/pdprov.known" # some wheels come with a RECORD that is wrong
  found=$(identify "$env")
  printf 'lock %s\n%s\n' "$lock" "$found" >"$env/pdprov.stamp.new"
  sync -f -- "$env/pdprov.stamp.new"
  mv -f -- "$env/pdprov.stamp.new" "$env/pdprov.stamp"
  sync -- "$env"
  unfinished=
}

n=0
name=$key
while :; do
  env=$path.d/$name
  if [ "$current" = "$base.d/$name" ] && [ ! -f "$env/pdprov.stamp" ]; then
    : # in use, so it is left alone until another one is there
  elif [ ! -f "$env/pdprov.stamp" ]; then
    make
    break
  elif [ -z "$rebuild" ] && whole "$env"; then
    echo "pdprov: $env is there already and whole"
    break
  fi
  n=$((n + 1))
  name=$key-r$n
done

if [ "$current" != "$base.d/$name" ]; then
  temp=$(mktemp -d -- "$parent/.pdprov-XXXXXXXX")
  unfinished=$temp
  ln -s -- "$base.d/$name" "$temp/link"
  mv -fT -- "$temp/link" "$path"
  rmdir -- "$temp"
  unfinished=
  sync -- "$parent"
fi
touch -- "$env"

# Newest first by use; names that pdprov does not give are left alone.
kept=0
cd -- "$path.d" || exit 1
# shellcheck disable=SC2012 # what is used of the output are names of hex digits
ls -1t | while IFS= read -r old; do
  hex=${old%-r[0-9]*}
  case $hex in
  *[!0-9a-f]*) continue ;;
  esac
  if [ "${#hex}" -ne 16 ] || [ "$old" = "$name" ]; then
    continue
  fi
  [ ! -f "./$old/pdprov.stamp" ] || kept=$((kept + 1))
  if [ "$kept" -gt "$keep" ] || [ ! -f "./$old/pdprov.stamp" ]; then
    echo "pdprov: removing the old environment $old"
    rm -rf -- "./$old"
  fi
done
