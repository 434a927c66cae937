package dnf

import (
	"regexp"
	"strings"
	"time"

	"github.com/pdprov/pdprov/stages/stage"
)

// logScript prints what dnf's log of rpm transactions says of packages. Only evidence
// hangs on it, so that what cannot be read is left out.
const logScript = `keys=''
for name do
  keys="$keys: ${name%%'*'*}
"
done
for f in /var/log/dnf.rpm.log.1 /var/log/dnf.rpm.log; do
  if [ -r "$f" ]; then grep -F -- "${keys%?}" "$f" | tail -n 500; fi
done
exit 0
`

// logForm is a line of dnf 4: "2026-11-30T06:12:01+0000 SUBDEBUG Upgrade: NAME-EVR.ARCH".
var logForm = regexp.MustCompile(`^(\d{4}-\d\d-\d\dT\d\d:\d\d):\d\d\S* \S+ (Install|Installed|Upgrade|Downgrade|Reinstall): (\S+)\s*$`)

// removedForm is such a line of a package that went.
var removedForm = regexp.MustCompile(`^(\d{4}-\d\d-\d\dT\d\d:\d\d):\d\d\S* \S+ (?:Erase|Removed|Obsoleted): (\S+)-[^-\s]+-[^-\s]+\s*$`)

// removal says when dnf took a package away, "" when its log does not tell.
func removal(a stage.Answer, name string) (by string) {
	if a.Outcome != stage.Answered {
		return ""
	}
	for line := range strings.Lines(string(a.Body)) {
		if m := removedForm.FindStringSubmatch(strings.TrimSuffix(line, "\n")); m != nil && m[2] == name {
			by = "dnf on " + strings.Replace(m[1], "T", " ", 1)
		}
	}
	return by
}

// origin says when a package came, and whether dnf brought it. rpm itself keeps the time
// (told as UTC) of what another program, or nobody known, installed.
func (r row) origin(a stage.Answer) string {
	by := "rpm on " + time.Unix(r.installed, 0).UTC().Format("2006-01-02 15:04")
	if a.Outcome != stage.Answered {
		return by
	}
	for line := range strings.Lines(string(a.Body)) {
		m := logForm.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		if m != nil && m[3] == r.name+"-"+r.evr()+"."+r.arch {
			by = "dnf on " + strings.Replace(m[1], "T", " ", 1)
		}
	}
	return by
}
