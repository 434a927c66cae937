package dnf

import (
	"regexp"
	"strings"
	"time"

	"github.com/pdprov/pdprov/internal/commandline"
	"github.com/pdprov/pdprov/stages/stage"
)

// logScript prints what dnf's log of rpm transactions says of packages, then a line
// "runs", and then which command dnf's own log names for them, in records with tabs. That
// log tells its runs apart by nothing: where two overlap, or one was killed, no command is
// named. Only evidence hangs on all of it, so that what cannot be read is left out.
const logScript = `keys=''
for name do
  case $name in
  *'*') key=${name%%'*'*} ;;
  *) key=$name- ;;
  esac
  keys="$keys: $key
"
done
for f in /var/log/dnf.rpm.log.1 /var/log/dnf.rpm.log; do
  if [ -r "$f" ]; then grep -F -- "${keys%?}" "$f" | tail -n 500; fi
done
echo runs
export keys
for f in /var/log/dnf.log.1 /var/log/dnf.log; do
  if [ -r "$f" ]; then cat "$f"; fi
done | awk '
BEGIN { n = split(ENVIRON["keys"], key, "\n") }
/^[^ ]+ INFO --- logging initialized ---$/ { if (open++) mixed = 1; command = ""; next }
/^[^ ]+ DDEBUG Command: / { if (command == "") { command = $0; sub(/^[^ ]+ DDEBUG Command: /, "", command) } next }
/^[^ ]+ DEBUG Started dnf-automatic[.]$/ { command = "dnf-automatic"; next }
/^[^ ]+ DDEBUG Cleaning up[.]$/ { open = 0; mixed = 0; command = ""; next }
NF == 4 && $2 == "DEBUG" && $3 ~ /^(Installed|Upgraded|Downgraded|Reinstalled|Removed):$/ && command != "" && !mixed {
  for (i = 1; i <= n; i++) {
    if (key[i] == "" || index(": " $4, key[i]) != 1) continue
    gsub(/\t/, " ", command)
    print $1 "\t" $3 "\t" $4 "\t" substr(command, 1, 400)
    break
  }
}
' 2>/dev/null | tail -n 2000
exit 0
`

// event is one line of a log about a package: NAME-EVR.ARCH came or went.
type event struct {
	at      time.Time
	shown   string // the time as the host tells it: "2026-11-30 06:12"
	made    bool
	pkg     string
	command string // only of dnf's own log
}

// rpmForm is a line of dnf 4 about a package that came, or went:
// "2026-11-30T06:12:01+0000 SUBDEBUG Upgrade: NAME-EVR.ARCH".
var rpmForm = regexp.MustCompile(`^(\S+) \S+ (?:(Install|Installed|Upgrade|Downgrade|Reinstall)|Erase|Removed|Obsoleted): (\S+)\s*$`)

// events reads the two parts of an answer: rpm's transactions, and dnf's runs.
func events(a stage.Answer) (transactions, runs []event) {
	if a.Outcome != stage.Answered {
		return nil, nil
	}
	own := false
	for line := range strings.Lines(string(a.Body)) {
		line = strings.TrimSuffix(line, "\n")
		if line == "runs" {
			own = true
			continue
		}
		if f := strings.Split(line, "\t"); own && len(f) == 4 {
			if at, err := time.Parse(logTime, f[0]); err == nil {
				runs = append(runs, event{at: at, made: f[1] != "Removed:", pkg: f[2], command: f[3]})
			}
			continue
		}
		m := rpmForm.FindStringSubmatch(line)
		if m == nil || own {
			continue
		}
		if at, err := time.Parse(logTime, m[1]); err == nil {
			transactions = append(transactions, event{at: at, shown: at.Format("2006-01-02 15:04"), made: m[2] != "", pkg: m[3]})
		}
	}
	return transactions, runs
}

// logTime is how dnf writes a time, with the host's zone; in RHEL 8 that is Z.
const logTime = "2006-01-02T15:04:05Z0700"

// takesWord are the options of dnf whose value may be the next word.
var takesWord = []string{
	"-c", "--config", "-d", "--debuglevel", "-e", "--errorlevel", "-R", "--randomwait", "-x", "--exclude", "--excludepkgs",
	"--installroot", "--repo", "--repoid", "--repofrompath", "--enablerepo", "--disablerepo", "--enableplugin", "--disableplugin",
	"--releasever", "--setopt", "--forcearch", "--comment", "--downloaddir", "--destdir", "--color", "--advisory", "--bz", "--cve",
}

// who says which dnf did the last of the transactions that fit, "" when none did: "dnf
// upgrade on 2026-11-30 06:12". dnf's own log names a package when the transaction is over,
// so that the first of its lines that is not earlier is the one.
func who(a stage.Answer, fits func(event) bool) string {
	transactions, runs := events(a)
	last := event{}
	for _, e := range transactions {
		if fits(e) {
			last = e
		}
	}
	if last.pkg == "" {
		return ""
	}
	by := "dnf"
	for _, r := range runs {
		if r.pkg == last.pkg && r.made == last.made && !r.at.Before(last.at) {
			by = commandline.Plain(r.command, takesWord)
			break
		}
	}
	return by + " on " + last.shown
}

// origin says when a package came, and who brought it. rpm itself keeps the time (told as
// UTC) of what another program than dnf, or nobody known, installed.
func (r row) origin(a stage.Answer) string {
	if by := who(a, func(e event) bool { return e.made && e.pkg == r.name+"-"+r.evr()+"."+r.arch }); by != "" {
		return by
	}
	return "rpm on " + time.Unix(r.installed, 0).UTC().Format("2006-01-02 15:04")
}

// removal says when dnf took a package away, "" when its log does not tell or says that
// the package came again.
func removal(a stage.Answer, name string) string {
	gone := false
	by := who(a, func(e event) bool {
		if nameOf(e.pkg) != name {
			return false
		}
		gone = !e.made
		return gone
	})
	if !gone {
		return ""
	}
	return by
}

// nameOf is the NAME of NAME-VERSION-RELEASE.ARCH.
func nameOf(pkg string) string {
	for range 2 {
		pkg = pkg[:max(0, strings.LastIndexByte(pkg, '-'))]
	}
	return pkg
}
