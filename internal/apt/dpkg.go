package apt

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/pdprov/pdprov/stages/stage"
)

// dpkgScript prints tab-separated records. dpkg-query says "no packages found
// matching NAME" on stderr and exits 1; so it does for many other troubles, so its
// words and its exit status are passed on and judged by parseDpkg. apt-cache is not
// asked whether a name is virtual: it would write its cache, and a look writes
// nothing.
const dpkgScript = `command -v dpkg-query >/dev/null || exit 66
arch=$(dpkg --print-architecture) || exit 1
printf 'arch\t%s\n' "$arch"
exec 3>&1
rc=0
err=$(dpkg-query -W -f='row\t${Package}\t${Architecture}\t${db:Status-Abbrev}\t${Version}\n' -- "$@" 2>&1 >&3 3>&-) || rc=$?
while IFS= read -r line; do
  if [ -n "$line" ]; then printf 'err\t%s\n' "$line"; fi
done <<END_OF_ERR
$err
END_OF_ERR
printf 'exit\t%s\n' "$rc"
`

// dpkgDB is what dpkg's database says about the packages asked for.
type dpkgDB struct {
	arch    string // native architecture
	rows    []dpkgRow
	missing map[string]bool // names that dpkg-query has never heard of
}

// dpkgRow is one line of dpkg-query: status is db:Status-Abbrev, three letters for
// what is wanted, what is, and whether it is broken ("ii ", "hi ", "iF ").
type dpkgRow struct{ name, arch, status, version string }

var (
	archForm   = regexp.MustCompile(`^[a-z0-9][a-z0-9-]*$`)
	statusForm = regexp.MustCompile(`^[uihrp][ncHUFWti][ R]$`)
	noMatch    = regexp.MustCompile(`^dpkg-query: no packages found matching ([a-z0-9][a-z0-9+.*-]*)$`)
)

// parseDpkg reads the whole answer or refuses it: a body that is not exactly what
// the script prints is no ground to call a package absent.
func parseDpkg(body []byte) (dpkgDB, error) {
	db := dpkgDB{missing: map[string]bool{}}
	text := string(body)
	if !strings.HasSuffix(text, "\n") {
		return db, fmt.Errorf("dpkg-query's answer is cut off")
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	last := len(lines) - 1
	for i, line := range lines {
		if err := db.line(i == 0, i == last, strings.Split(line, "\t")); err != nil {
			return db, fmt.Errorf("line %d, %q: %w", i+1, short(line), err)
		}
	}
	return db, nil
}

func (db *dpkgDB) line(first, last bool, f []string) error {
	switch {
	case first:
		if f[0] != "arch" || len(f) != 2 || !archForm.MatchString(f[1]) {
			return fmt.Errorf("not an architecture")
		}
		db.arch = f[1]
	case last:
		if f[0] != "exit" || len(f) != 2 {
			return fmt.Errorf("not the end of the answer")
		}
		if missed := len(db.missing) > 0; !(f[1] == "0" && !missed || f[1] == "1" && missed) {
			return fmt.Errorf("dpkg-query ended with exit status %s", short(f[1]))
		}
	case f[0] == "row":
		return db.row(f[1:])
	case f[0] == "err":
		m := noMatch.FindStringSubmatch(strings.Join(f[1:], "\t"))
		if m == nil {
			return fmt.Errorf("dpkg-query complains")
		}
		db.missing[m[1]] = true
	default:
		return fmt.Errorf("not what dpkg-query prints")
	}
	return nil
}

func (db *dpkgDB) row(f []string) error {
	if len(f) != 4 {
		return fmt.Errorf("not four fields")
	}
	r := dpkgRow{name: f[0], arch: f[1], status: f[2], version: f[3]}
	switch {
	case !IsName(r.name), !statusForm.MatchString(r.status):
		return fmt.Errorf("not a package and its status")
	case r.installed() && (!archForm.MatchString(r.arch) || !IsVersion(r.version)):
		return fmt.Errorf("no architecture or version of an installed package")
	}
	db.rows = append(db.rows, r)
	return nil
}

// installed: "n" is not installed, "c" is removed with its configuration files left.
func (r dpkgRow) installed() bool { return r.status[1] != 'n' && r.status[1] != 'c' }

func (r dpkgRow) state() string {
	if r.status[2] == 'R' {
		return HalfInstalled
	}
	return map[byte]string{
		'i': Installed, 'H': HalfInstalled, 'U': "unpacked", 'F': "half-configured",
		'W': "triggers-awaited", 't': "triggers-pending",
	}[r.status[1]]
}

func (r dpkgRow) look() Package {
	return Package{Version: stage.Is(r.version), State: stage.Is(r.state()), Held: r.held()}
}

func (r dpkgRow) held() stage.Value {
	if r.status[0] == 'h' {
		return stage.Is("yes")
	}
	return stage.Is("no")
}

// find is one package. A name without an architecture means the host's own, as it
// does to apt-get.
func (db dpkgDB) find(name string) (Package, error) {
	b, arch, qualified := strings.Cut(name, ":")
	if !qualified {
		arch = db.arch
	}
	known := db.missing[b]
	none := Package{Version: stage.Nothing(), State: stage.Nothing(), Held: stage.Is("no")}
	for _, r := range db.rows {
		if r.name != b {
			continue
		}
		known = true
		if r.arch == arch || r.arch == "all" && (arch == db.arch || arch == "all") || r.arch == "" {
			none.Held = r.held()
			if r.installed() {
				return r.look(), nil
			}
		}
	}
	if !known {
		return none, fmt.Errorf("dpkg-query's answer says nothing about %s", b)
	}
	return none, nil
}

func short(s string) string {
	if len(s) > 120 {
		return s[:120] + "..."
	}
	return s
}
