package packages

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/pdprov/pdprov/stages/stage"
)

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
	noMatch    = regexp.MustCompile(`^dpkg-query: no packages found matching ([a-z0-9][a-z0-9+.-]*)$`)
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
	case !isName(r.name), !statusForm.MatchString(r.status):
		return fmt.Errorf("not a package and its status")
	case r.installed() && (!archForm.MatchString(r.arch) || !isVersion(r.version)):
		return fmt.Errorf("no architecture or version of an installed package")
	}
	db.rows = append(db.rows, r)
	return nil
}

// installed: "n" is not installed, "c" is removed with its configuration files left.
func (r dpkgRow) installed() bool { return r.status[1] != 'n' && r.status[1] != 'c' }

const stateHalfInstalled = "half-installed"

func (r dpkgRow) state() string {
	if r.status[2] == 'R' {
		return stateHalfInstalled
	}
	return map[byte]string{
		'i': stateInstalled, 'H': stateHalfInstalled, 'U': "unpacked", 'F': "half-configured",
		'W': "triggers-awaited", 't': "triggers-pending",
	}[r.status[1]]
}

// find is one package. A name without an architecture means the host's own, as it
// does to apt-get.
func (db dpkgDB) find(name string) (installed, error) {
	b, arch, qualified := strings.Cut(name, ":")
	if !qualified {
		arch = db.arch
	}
	known := db.missing[b]
	none := installed{version: stage.Nothing(), state: stage.Nothing(), held: stage.Is(yesNo(false))}
	for _, r := range db.rows {
		if r.name != b {
			continue
		}
		known = true
		if r.arch == arch || r.arch == "all" && (arch == db.arch || arch == "all") || r.arch == "" {
			none.held = stage.Is(yesNo(r.status[0] == 'h'))
			if r.installed() {
				return installed{version: stage.Is(r.version), state: stage.Is(r.state()), held: none.held}, nil
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
