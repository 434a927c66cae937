// Package hostfile looks at files of a host and writes them: the sh text and its
// reading that every kind which keeps a file shares.
package hostfile

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/pdprov/pdprov/internal/record"
	"github.com/pdprov/pdprov/stages/stage"
)

// MaxText is the size in bytes up to which a differing file's content is fetched.
const MaxText = 4096

// Look asks for a path's type, size, owner, group, mode, times and, of a regular
// file, the sha256. wanted is the sha256 in hex that the file should have: a small
// file that has another one comes with its content. With wanted "" no content
// leaves the host.
func Look(path, wanted string) stage.Probe {
	if wanted == "" {
		wanted = hashOnly
	}
	return probe(wanted, path)
}

// Stat asks as Look does, but reads nothing of a file.
func Stat(path string) stage.Probe { return probe(statOnly, path) }

const (
	hashOnly = "hash"
	statOnly = "stat"
)

func probe(mode, path string) stage.Probe {
	arg := mode + ":" + path
	return stage.Probe{
		ID:             "path " + path + " " + mode[:min(len(mode), 16)],
		Script:         script,
		Args:           []string{arg},
		Merge:          true,
		TimeoutSeconds: 30, // a large file has to be read for its digest
		MaxBytes:       8 << 20,
		Reads:          []stage.Resource{stage.Resource("path:" + path)},
	}
}

// Digest is the sha256 of data in hex.
func Digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// script takes arguments of the form MODE:PATH, MODE being "stat", "hash" or the
// wanted sha256, and starts one stat and one sha256sum for all of them. It prints
// what sh itself sees of every argument in order; stat's and sha256sum's lines are
// matched to those by their order, which no name can forge because both tools
// print one line for each path. "/" is asked about as well: it shows that stat works.
const script = record.Say + `
modes=
kinds=
for arg in "$@"; do
  path=${arg#*:}
  kind='gone'
  if [ -h "$path" ]; then
    kind='link'
  elif [ -f "$path" ]; then
    kind='file'
  elif [ -e "$path" ]; then
    kind='other'
  fi
  say "$kind" "$arg"
  modes="$modes ${arg%%:*}"
  kinds="$kinds $kind"
  shift
  set -- "$@" "$path"
done
rc=0
lines=$(stat -c '=%f:%s:%a:%u:%g:%.9Y:%.9Z:%U:%G' -- / "$@" 2>&1) || rc=$?
say stat "$rc
$lines"

# What is left in "$@" are the files whose digest is asked for, their modes in $modes.
rest=$modes
modes=
for path in "$@"; do
  shift
  rest=${rest# }
  kinds=${kinds# }
  mode=${rest%% *}
  case "${kinds%% *} $mode" in
  'file stat') ;;
  'file '*)
    set -- "$@" "$path"
    modes="$modes $mode"
    ;;
  esac
  rest=${rest#"$mode"}
  kinds=${kinds#"${kinds%% *}"}
done
[ "$#" -gt 0 ] || { say end ''; exit 0; }
nl='
'
if sums=$(sha256sum -- "$@" 2>/dev/null); then
  say sums "$sums"
else
  sums=
  for path in "$@"; do
    rc=0
    sum=$(sha256sum -- "$path" 2>&1) || rc=$?
    say sum "$rc $sum"
    sums="$sums$nl$sum"
  done
fi

# A line of $sums shows the path as it is unless it has a backslash or a newline;
# such a file's content is printed without need, which does no harm.
for path in "$@"; do
  modes=${modes# }
  mode=${modes%% *}
  modes=${modes#"$mode"}
  case "$nl$sums$nl" in
  *"$nl$mode  $path$nl"*) continue ;;
  esac
  [ "$mode" = hash ] || say "text" "$mode:$path
$(head -c 4097 -- "$path" 2>/dev/null | base64 2>/dev/null)"
done
say end ''
`
