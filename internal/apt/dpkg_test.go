package apt

import (
	"strings"
	"testing"

	"github.com/pdprov/pdprov/stages/stage"
)

// Whatever a host prints, a package is only absent when dpkg-query said so by name.
func FuzzParseDpkg(f *testing.F) {
	f.Add("arch\tamd64\nrow\tjq\tamd64\tii \t1.6-2.1+deb12u1\nexit\t0\n")
	f.Add("arch\tamd64\nerr\tdpkg-query: no packages found matching jq\nexit\t1\n")
	f.Add("arch\tamd64\nrow\tjq\t\tun \t\nexit\t0\n")
	f.Add("arch\n\t\nexit\t1")
	f.Fuzz(func(t *testing.T, body string) {
		db, err := parseDpkg([]byte(body))
		if err != nil {
			return
		}
		p, err := db.find("jq")
		if err == nil && p.Version.State == stage.None &&
			!strings.Contains(body, "matching jq\n") && !strings.Contains(body, "row\tjq\t") {
			t.Errorf("absent without a word about it: %q", body)
		}
	})
}

func TestVersionsAndNames(t *testing.T) {
	for name, want := range map[string]bool{
		"jq": true, "g++": true, "libc6:i386": true, "python3.11": true, "0ad": true, "lib-a.b+c": true,
		"x": false, "Jq": false, "-jq": false, "jq-": false, "j_q": false, "jq:": false, "jq:i386:x": false, "jq\n": false, "": false,
	} {
		if IsName(name) != want {
			t.Errorf("IsName(%q) is %v", name, !want)
		}
	}
	for version, want := range map[string]bool{
		"1": true, "1:2.0~rc1-3+b1": true, "2.1.0-1": true, "": false, "v1": false, "1 2": false, "1*": false, "-1": false, "1\n": false,
	} {
		if IsVersion(version) != want {
			t.Errorf("IsVersion(%q) is %v", version, !want)
		}
	}
}
