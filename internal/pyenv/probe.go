package pyenv

import (
	"github.com/pdprov/pdprov/internal/record"
	"github.com/pdprov/pdprov/stages/stage"
)

// Probe looks at the environment at a path, which may be a link to it. It is not merged:
// an environment on a file system that hangs must not hide the others.
func Probe(path string) stage.Probe {
	return stage.Probe{
		ID:             "pyenv " + path,
		Script:         script,
		Args:           []string{path},
		TimeoutSeconds: 30,
		MaxBytes:       4 << 20,
		Reads:          Reads(path),
	}
}

// Reads are the link and the folder beside it, in which a venv stage keeps what the link
// leads to.
func Reads(path string) []stage.Resource {
	return []stage.Resource{stage.Resource("path:" + path), stage.Resource("path:" + path + ".d")}
}

// script starts no Python. Distributions are named by their folders, which sh lists
// itself; one sha256sum reads what identifies each of them.
const script = record.Say + record.Show + `
path=$1
if [ -h "$path" ]; then
  target=$(readlink -- "$path") || exit 1
  case $target in
  /*) at=$target ;;
  *) at=${path%/*}/$target ;;
  esac
  # shellcheck disable=SC3013 # dash, bash and busybox know -ef
  if [ -e "$path" ] && [ ! "$at" -ef "$path" ]; then
    echo "readlink does not tell where $path leads: $target" >&2
    exit 1
  fi
  say target "$target"
fi
if [ -x "$path/bin/python" ]; then
  say python ''
fi
if [ -f "$path/pyvenv.cfg" ]; then
  config=$(show "$path/pyvenv.cfg") || exit 1
  say config "$config"
fi
if [ -f "$path/pdprov.stamp" ]; then
  stamp=$(show "$path/pdprov.stamp") || exit 1
  say stamp "$stamp"
fi
for list in "$path"/pdprov.added/*; do
  [ -f "$list" ] || continue
  added=$(show "$list") || exit 1
  say added "${list##*/}"
  say .list "$added"
done
for site in "$path"/lib/python3*/site-packages; do
  [ -d "$site" ] || continue
  cd -P -- "$site" || exit 1
  say site "${site#"$path"/}"
  set --
  for item in *.dist-info *.egg-info *.egg-link; do
    [ -e "$item" ] || [ -h "$item" ] || continue
    say item "$item"
    for file in METADATA RECORD; do
      if [ -f "./$item/$file" ]; then
        say ".$file" ''
        set -- "$@" "./$item/$file"
      fi
    done
    for file in INSTALLER direct_url.json; do
      if [ -f "./$item/$file" ]; then
        text=$(show "./$item/$file") || exit 1
        say ".$file" "$text"
      fi
    done
  done
  if [ "$#" -gt 0 ]; then
    sums=$(sha256sum -- "$@") || exit 1
    say sums "$sums"
  fi
  for file in *.pth sitecustomize.py usercustomize.py; do
    [ ! -f "./$file" ] || say inject "$file"
  done
  if [ -f ./torch/version.py ]; then
    text=$(show ./torch/version.py) || exit 1
    say torch "$text"
  fi
done
say end ''
`
