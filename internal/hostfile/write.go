package hostfile

import (
	"github.com/pdprov/pdprov/internal/posixsh"
	"github.com/pdprov/pdprov/stages/stage"
)

// Wish is a regular file as it should be.
type Wish struct {
	Path         string
	Data         []byte
	Mode         string // octal
	Owner, Group string // names or numbers
}

// Write makes the step that puts a file in its place: a temporary file in the same
// directory, owner and mode set, digest checked on the host, synced, renamed. On
// any failure the old file stays as it is, and the temporary one and the parent
// directories that were made go. Missing parent directories are made with mode 0755.
// A symlink at the path is replaced, never followed; a directory there is an error.
func Write(title string, w Wish) stage.Step {
	call := posixsh.Words("put_file", w.Path, w.Mode, w.Owner+":"+w.Group, Digest(w.Data))
	return stage.Step{
		Title:  title,
		Script: Put + call + ` "$PDPROV_FILES/content"` + "\n",
		Files:  []stage.File{{Name: "content", Data: w.Data}},
	}
}

// Put is the sh function put_file PATH MODE OWNER:GROUP SHA256 SOURCE.
const Put = `put_file() (
  path=$1 mode=$2 owner=$3 sha256=$4 source=$5
  if [ -d "$path" ] && ! [ -h "$path" ]; then
    echo "pdprov: $path is a directory; it is not replaced by a file" >&2
    exit 1
  fi
  dir=${path%/*}
  temp=
  made=
  trap '
    [ -z "$temp" ] || rm -f -- "$temp"
    while [ -n "$made" ] && rmdir -- "$dir" 2>/dev/null && [ "$dir" != "$made" ]; do dir=${dir%/*}; done
  ' EXIT
  trap 'exit 143' HUP INT TERM
  if [ ! -d "$dir/" ]; then
    made=$dir
    while [ ! -d "${made%/*}/" ]; do made=${made%/*}; done
    mkdir -p -- "$dir" || exit 1
  fi
  temp=$(mktemp -- "$dir/.pdprov-XXXXXXXX") || exit 1
  cat <"$source" >"$temp" || exit 1
  chown -- "$owner" "$temp" || exit 1
  chmod -- "$mode" "$temp" || exit 1
  sum=$(sha256sum <"$temp") || exit 1
  if [ "${sum%% *}" != "$sha256" ]; then
    echo "pdprov: what was written for $path reads back with another sha256" >&2
    exit 1
  fi
  sync -- "$temp" || exit 1
  mv -fT -- "$temp" "$path" || exit 1
  temp=
  made=
  sync -- "$dir/" || exit 1
)
`
