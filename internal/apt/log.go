package apt

import (
	"strings"

	"github.com/pdprov/pdprov/stages/stage"
)

// logScript finds who changed a package last. Only evidence hangs on it.
const logScript = `lines=''
for name do
  for action in install upgrade remove purge; do
    case $name in
    *'*') lines="$lines $action ${name%%'*'*}
" ;;
    *) lines="$lines $action $name:
" ;;
    esac
  done
done
for f in /var/log/dpkg.log.1 /var/log/dpkg.log; do
  if [ -r "$f" ]; then grep -F -- "${lines%?}" "$f" | tail -n 500; fi
done
exit 0
`

// lastInLog is the last line of dpkg.log that made the version what it is, "" when
// the log does not tell.
func lastInLog(a stage.Answer, name string, v stage.Value) string {
	if a.Outcome != stage.Answered {
		return ""
	}
	by := ""
	for line := range strings.Lines(string(a.Body)) {
		// 2026-11-30 06:12:01 upgrade jq:amd64 1.6 1.7
		f := strings.Fields(line)
		if len(f) != 6 || Base(f[3]) != Base(name) {
			continue
		}
		by = ""
		if made := f[2] == "install" || f[2] == "upgrade"; made == (v.State == stage.Present) && (!made || f[5] == v.Text) {
			by = "dpkg.log " + strings.Join([]string{f[0], f[1], f[2], f[4], f[5]}, " ")
		}
	}
	return by
}
