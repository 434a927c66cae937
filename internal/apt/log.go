package apt

import (
	"regexp"
	"strings"

	"github.com/pdprov/pdprov/stages/stage"
)

// logScript prints what dpkg.log says of packages, then a line "history", and then what
// apt's history says of them: who asked for what, in records with tabs. logrotate packs
// the older history at once, and only the newest of it is read. Only evidence hangs on
// all of that, so that what cannot be read is left out.
const logScript = `lines=''
keys=''
for name do
  case $name in
  *'*') key=${name%%'*'*} ;;
  *) key=$name: ;;
  esac
  keys="$keys$key
"
  for action in install upgrade remove purge; do
    lines="$lines $action $key
"
  done
done
for f in /var/log/dpkg.log.1 /var/log/dpkg.log; do
  if [ -r "$f" ]; then grep -F -- "${lines%?}" "$f" | tail -n 500; fi
done
echo history
export keys
{
  if [ -r /var/log/apt/history.log.1 ]; then
    cat /var/log/apt/history.log.1
  elif [ -r /var/log/apt/history.log.1.gz ]; then
    gzip -dc /var/log/apt/history.log.1.gz 2>/dev/null
  fi
  if [ -r /var/log/apt/history.log ]; then cat /var/log/apt/history.log; fi
} | awk '
BEGIN {
  n = split(ENVIRON["keys"], key, "\n")
  for (i = 1; i <= n; i++) {
    if (key[i] ~ /:$/) whole[key[i]] = 1
    else if (key[i] != "") prefix[++prefixes] = key[i]
  }
}
/^Start-Date: / { start = $2 " " $3; command = ""; by = ""; told = 0 }
/^Commandline: / { command = substr($0, 14, 400); gsub(/\t/, " ", command) }
/^Requested-By: / { by = $2 }
/^(Install|Upgrade|Downgrade|Reinstall|Remove|Purge): / && start != "" {
  m = split(substr($0, length($1) + 2), item, "[)], ")
  for (i = 1; i <= m; i++) {
    name = item[i]
    sub(/:.*/, ":", name)
    wanted = name in whole
    for (k = 1; k <= prefixes && !wanted; k++) wanted = index(name, prefix[k]) == 1
    if (!wanted) continue
    if (!told++) print "run\t" start "\t" by "\t" command
    sub(/ [(]/, "\t", item[i])
    sub(/[)]$/, "", item[i])
    print tolower(substr($1, 1, length($1) - 1)) "\t" substr(item[i], 1, 400)
  }
}
/^End-Date: / { if (told) print "end\t" $2 " " $3; start = "" }
' 2>/dev/null | tail -n 2000
exit 0
`

// entry is the last line of dpkg.log about a package:
// "2026-11-30 06:12:01 upgrade jq:amd64 1.6 1.7".
type entry struct{ at, action, name, from, to string }

var atForm = regexp.MustCompile(`^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$`)

// origin says when and by whom a version was made what it is, "" when the logs do not
// tell. arch is that of the package, native that of the host.
func origin(a stage.Answer, name, arch, native string, v stage.Value) string {
	if a.Outcome != stage.Answered {
		return ""
	}
	dpkg, history, _ := strings.Cut(string(a.Body), "\nhistory\n")
	if rest, only := strings.CutPrefix(dpkg, "history\n"); only {
		dpkg, history = "", rest
	}
	last, ok := lastEntry(dpkg, Base(name), arch, native)
	if made := last.made(); !ok || made != (v.State == stage.Present) || made && last.to != v.Text {
		return ""
	}
	by := "dpkg"
	for _, r := range runs(history) {
		if who := r.who(); who != "" && r.did(last, native) {
			by = who
		}
	}
	return by + " on " + last.at[:len("2026-11-30 06:12")]
}

// lastEntry finds the last line of dpkg.log about a package of one architecture. One for
// all has "all" there.
func lastEntry(log, base, arch, native string) (last entry, ok bool) {
	for line := range strings.Lines(log) {
		f := strings.Fields(line)
		if len(f) != 6 || !atForm.MatchString(f[0]+" "+f[1]) {
			continue
		}
		b, its, _ := strings.Cut(f[3], ":")
		if b == base && (its == arch || its == "all" && arch == native || its == native && arch == "all") {
			last, ok = entry{at: f[0] + " " + f[1], action: f[2], name: f[3], from: f[4], to: f[5]}, true
		}
	}
	return last, ok
}

// made says whether the package was there afterwards.
func (e entry) made() bool { return e.action == "install" || e.action == "upgrade" }
