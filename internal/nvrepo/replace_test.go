package nvrepo

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pdprov/pdprov/stages/stagetest"
)

func TestFilesWithOtherEntriesAreRefused(t *testing.T) {
	const ours = "http://x/repo"
	for name, c := range map[string]struct {
		entries []entry
		want    string // what stands beside
	}{
		"alone":           {oneLine("f", "# c\ndeb http://x/repo/ /\ndeb-src http://x/repo /\n"), ""},
		"a distribution":  {oneLine("f", "deb http://deb/ a main\ndeb http://x/repo /\n"), "f:1"},
		"sources":         {oneLine("f", "deb-src http://deb/ a main\ndeb http://x/repo /\n"), "f:1"},
		"not understood":  {oneLine("f", "what is this\ndeb http://x/repo /\n"), "f:1"},
		"deb822 off":      {deb822("f", "URIs: http://x/repo\n\nEnabled: no\nURIs: http://deb\n"), "f:4"},
		"deb822 alone":    {deb822("f", "URIs: http://x/repo\n"), ""},
		"section":         {sections("f", "[a]\nbaseurl=http://x/repo\n[b]\nbaseurl=http://y\n"), "f:4"},
		"section off":     {sections("f", "[b]\nenabled=0\nbaseurl=http://y\n[a]\nbaseurl=http://x/repo\n"), "f:3"},
		"metalink":        {sections("f", "[a]\nbaseurl=http://x/repo\n[b]\nmetalink=http://y\n"), "f:4"},
		"no address":      {sections("f", "[a]\nbaseurl=http://x/repo\n[b]\nname=b\n"), "f:3"},
		"section alone":   {sections("f", "[a]\nbaseurl=http://x/repo\n"), ""},
		"in another file": {append(oneLine("g", "deb http://deb/ a main\n"), oneLine("f", "deb http://x/repo /\n")...), ""},
	} {
		rest := beside(c.entries, others(c.entries, ours), ours)
		if got := words(rest); got != c.want {
			t.Errorf("%s: beside it stands %q", name, got)
		}
		if got := mixed(rest); (len(got) > 0) != (c.want != "") {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestRenameOverwritesNothing(t *testing.T) {
	stagetest.EachShell(t, func(t *testing.T, shell []string) {
		file := filepath.Join(t.TempDir(), "it's.list")
		for _, text := range []string{"first", "second", "third"} {
			if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			if out, err := stagetest.Do(t, shell, rename(file)); err != nil {
				t.Fatal(err, out)
			}
		}
		for name, want := range map[string]string{".disabled": "first", ".1.disabled": "second", ".2.disabled": "third"} {
			if got, err := os.ReadFile(file + name); string(got) != want {
				t.Errorf("%s: %q, %v", name, got, err)
			}
		}
	})
}

func TestNamesThatAptReads(t *testing.T) {
	const dir = "/etc/apt/sources.list.d/"
	for name, want := range map[string]bool{
		"/etc/apt/sources.list": true, dir + "a_B-1.x.list": true, dir + "a.sources": true, dir + "a:b.list": true,
		dir + "a b.list": false, dir + "a~.list": false, dir + "a+b.sources": false, dir + "a.list.save": false,
	} {
		if got := aptReads.MatchString(name); got != want {
			t.Errorf("%s: %v", strings.TrimPrefix(name, dir), got)
		}
	}
}
