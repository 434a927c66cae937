package venv

import (
	"github.com/pdprov/pdprov/internal/record"
	"github.com/pdprov/pdprov/stages/stage"
)

// lookProbe is not merged: an environment on a file system that hangs must not
// hide the others.
func lookProbe(w wish) stage.Probe {
	return stage.Probe{
		ID:             "venv " + w.path + " " + w.command(),
		Script:         script,
		Args:           []string{w.path, w.command()},
		TimeoutSeconds: 30,
		MaxBytes:       4 << 20,
		Reads:          reads(w),
	}
}

// script starts no Python. Distributions are named by their folders, which sh lists
// itself; one sha256sum reads what identifies each of them.
const script = record.Say + record.Show + `
path=$1
python=$2
PATH=$PATH:/usr/local/bin:/root/.local/bin
uv=
! command -v uv >/dev/null || uv=yes
say uv "$uv"
base=$(command -v "$python") || base=
if [ -n "$base" ]; then
  base=$(readlink -f -- "$base") || exit 1
  say base "$base"
  lib=${base%/bin/*}/lib/${base##*/}
  # Debian ships the interpreter without the module that a venv's pip comes from.
  if [ -f "$lib/os.py" ] && [ ! -d "$lib/ensurepip" ]; then
    say nopip "$lib"
  fi
fi
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
  for site in "$path"/lib/python3*/site-packages; do
    [ -d "$site" ] || continue
    cd -P -- "$site" || exit 1
    set --
    for item in *.dist-info *.egg-info *.egg-link; do
      [ -e "$item" ] || [ -h "$item" ] || continue
      say item "$item"
      for file in METADATA RECORD; do
        if [ -f "./$item/$file" ]; then
          say file "$item/$file"
          set -- "$@" "./$item/$file"
        fi
      done
      [ ! -e "./$item/INSTALLER" ] || say file "$item/INSTALLER"
    done
    if [ "$#" -gt 0 ]; then
      sums=$(sha256sum -- "$@") || exit 1
      say sums "$sums"
    fi
  done
fi
say end ''
`

// reads are the environment and the packages that an interpreter or uv may come from,
// so that a package stage for one of them comes first.
func reads(w wish) []stage.Resource {
	return []stage.Resource{
		stage.Resource("path:" + w.path), stage.Resource("path:" + w.path + ".d"),
		"package:python3", "package:python3-venv", "package:uv",
		stage.Resource("package:" + w.command()), stage.Resource("package:" + w.command() + "-venv"),
	}
}
