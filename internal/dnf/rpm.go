package dnf

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// rpmScript prints tab-separated records. Not dnf is asked but rpm, since dnf writes its
// cache and log also when it only looks. How many packages there are in all is the proof
// that the database was read: no system of this kind has none.
const rpmScript = `command -v rpm >/dev/null || exit 66
db=$(rpm --eval '%{_dbpath}') || exit 1
there=''
for f in rpmdb.sqlite Packages Packages.db; do
  if [ -e "$db/$f" ]; then there=$f; fi
done
[ -n "$there" ] || exit 66
for pattern do printf 'asked\t%s\n' "$pattern"; done
exec 3>&1
rc=0
err=$(rpm -qa --qf 'row\t%{NAME}\t%{EPOCHNUM}\t%{VERSION}\t%{RELEASE}\t%{ARCH}\t%{INSTALLTIME}\n' "$@" 2>&1 >&3 3>&-) || rc=$?
while IFS= read -r line; do
  if [ -n "$line" ]; then printf 'err\t%s\n' "$line"; fi
done <<END_OF_ERR
$err
END_OF_ERR
all=$(rpm -qa --qf .) || exit 1
printf 'all\t%s\nexit\t%s\n' "${#all}" "$rc"
`

// rpmDB is what rpm's database says about the packages asked for.
type rpmDB struct {
	asked map[string]bool
	rows  []row
	twice map[string]bool // NAME.ARCH of which there are two versions
}

// row is one installed package.
type row struct {
	name, epoch, version, release, arch string
	installed                           int64 // seconds since 1970
}

var (
	nameForm  = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._+-]*$`)
	partForm  = regexp.MustCompile(`^[A-Za-z0-9._+~^]+$`)
	epochForm = regexp.MustCompile(`^[0-9]{1,9}$`)
)

// parseRPM reads the whole answer or refuses it: a body that is not exactly what the
// script prints is no ground to call a package absent.
func parseRPM(body []byte) (rpmDB, error) {
	db := rpmDB{asked: map[string]bool{}, twice: map[string]bool{}}
	text, whole := strings.CutSuffix(string(body), "\n")
	if !whole {
		return db, fmt.Errorf("rpm's answer is cut off")
	}
	lines := strings.Split(text, "\n")
	seen := map[string]bool{}
	for i, line := range lines {
		if err := db.line(len(lines)-1-i, strings.Split(line, "\t")); err != nil {
			return db, fmt.Errorf("line %d, %.120q: %w", i+1, line, err)
		}
	}
	for _, r := range db.rows {
		key := r.name + "." + r.arch
		db.twice[key] = seen[key]
		seen[key] = true
	}
	return db, nil
}

// line reads one line; left is how many come after it.
func (db *rpmDB) line(left int, f []string) error {
	switch {
	case left == 0:
		if len(f) != 2 || f[0] != "exit" || f[1] != "0" {
			return fmt.Errorf("rpm did not end well")
		}
	case left == 1:
		if n, err := strconv.Atoi(f[len(f)-1]); len(f) != 2 || f[0] != "all" || err != nil || n <= 0 || n < len(db.rows) {
			return fmt.Errorf("rpm's database shows no packages at all")
		}
	case f[0] == "asked" && len(f) == 2:
		db.asked[f[1]] = true
	case f[0] == "row" && len(f) == 7:
		return db.row(f[1:])
	case f[0] == "err":
		return fmt.Errorf("rpm complains")
	default:
		return fmt.Errorf("not what rpm prints")
	}
	return nil
}

func (db *rpmDB) row(f []string) error {
	r := row{name: f[0], epoch: f[1], version: f[2], release: f[3], arch: f[4]}
	at, err := strconv.ParseInt(f[5], 10, 64)
	if err != nil || at < 0 || at > latest || !nameForm.MatchString(r.name) || !epochForm.MatchString(r.epoch) ||
		!partForm.MatchString(r.version) || !partForm.MatchString(r.release) || !partForm.MatchString(r.arch) {
		return fmt.Errorf("not a package and its version")
	}
	r.installed = at
	db.rows = append(db.rows, r)
	return nil
}

// latest is the last second of the year 9999.
const latest = 253402300799

// evr is the version as rpm compares it; an epoch of 0 is the same as none.
func (r row) evr() string {
	if r.epoch == "0" {
		return r.version + "-" + r.release
	}
	return r.epoch + ":" + r.version + "-" + r.release
}
