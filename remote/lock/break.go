package lock

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/pdprov/pdprov/internal/posixsh"
	"github.com/pdprov/pdprov/remote"
	"github.com/pdprov/pdprov/stages/stage"
)

// breakScript ends the shell that the lock's file names, once it is seen to hold the
// lock, and no other process. Its words are that process, the file, the key of the run
// whose lock it is, and who breaks it. The run must learn that before it can take the
// lock again.
const breakScript = plainScript + `holds=no
# shellcheck disable=SC3013 # dash, bash and busybox know -ef
if [ "/proc/$1/fd/9" -ef "$2" ]; then
  while read -r line; do
    case $line in lock:*FLOCK*) holds=yes ;; esac
  done <"/proc/$1/fdinfo/9"
fi
[ $holds = yes ] || { echo "process $1 does not hold $2" >&2; exit 1; }
if [ -n "$3" ]; then
  umask 077
  printf '%s %s"since":"%s","shell":""}\n' "$3" "$4" "$(date -u +%Y-%m-%dT%H:%M:%SZ)" >>` + brokenPath + ` || exit 1
fi
kill -TERM "$1"
for _ in 1 2 3 4 5 6 7 8 9 10; do
  kill -0 "$1" 2>/dev/null || exit 0
  sleep 0.2
done
kill -KILL "$1"`

// Break takes the lock away from whoever holds it, and says who that was; ok is false
// when nobody held it. The run that held it is told who by is, and cannot take it again.
func Break(ctx context.Context, h remote.Host, by Holder) (holder Holder, ok bool, err error) {
	res, err := h.Run(ctx, remote.Command{Script: heldScript})
	switch {
	case err != nil:
		return Holder{}, false, err
	case res.Exit == stage.AbsentExit:
		return Holder{}, false, nil
	case res.Exit != 0:
		return Holder{}, false, fmt.Errorf("%s: the lock cannot be looked at: %s", h.Name(), strings.TrimSpace(string(res.Stderr)))
	}
	holder = parseHolder(res.Stdout)
	if _, err := strconv.Atoi(holder.Shell); err != nil {
		return holder, false, fmt.Errorf("%s: the lock's file does not say which process holds it; end the one that has %s open", h.Name(), Path)
	}
	res, err = h.Run(ctx, remote.Command{Script: "set -- " + posixsh.Words(holder.Shell, Path, holder.key(), by.encode()) + "\n" + breakScript})
	if err == nil && res.Exit != 0 {
		err = fmt.Errorf("%s: the lock cannot be broken: %s", h.Name(), strings.TrimSpace(string(res.Stderr)))
	}
	return holder, err == nil, err
}
