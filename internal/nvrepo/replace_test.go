package nvrepo

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pdprov/pdprov/internal/posixsh"
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

// replaceWith carries out the step, with an apt-get that ends with rc, for a file that had
// a text when the plan was made.
func replaceWith(t *testing.T, shell []string, dir, file, planned string, rc int) (string, error) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "apt-get"), fmt.Appendf(nil, "#!/bin/sh\nexit %d\n", rc), 0o755); err != nil {
		t.Fatal(err)
	}
	r := Repository{URL: "http://x/repo", Fingerprint: testKey}
	step := r.replace(seen{texts: map[string]string{file: planned}}, []string{file})
	step.Script = "chown() { :; }\nPATH=" + posixsh.Quote(dir) + ":$PATH\n" + strings.NewReplacer(
		"own="+posixsh.Quote(ListFile), "lock_files='' own="+posixsh.Quote(filepath.Join(dir, "own.list")),
	).Replace(step.Script)
	return stagetest.Do(t, shell, step)
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// content is the text of a file, "-" where there is none.
func content(file string) string {
	text, err := os.ReadFile(file)
	if err != nil {
		return "-"
	}
	return string(text)
}

func TestRenameOverwritesNothing(t *testing.T) {
	stagetest.EachShell(t, func(t *testing.T, shell []string) {
		dir := t.TempDir()
		file := filepath.Join(dir, "it's a.list")
		for _, text := range []string{"first\n", "second\n", "third\n"} {
			write(t, file, text)
			if out, err := replaceWith(t, shell, dir, file, text, 0); err != nil {
				t.Fatal(err, out)
			}
		}
		for name, want := range map[string]string{".disabled": "first\n", ".1.disabled": "second\n", ".2.disabled": "third\n", "": "-"} {
			if got := content(file + name); got != want {
				t.Errorf("%s: %q", name, got)
			}
		}
		if got := content(filepath.Join(dir, "own.list")); !strings.Contains(got, "deb [signed-by=") {
			t.Errorf("our own: %q", got)
		}
	})
}

func TestReplacementIsUndone(t *testing.T) {
	stagetest.EachShell(t, func(t *testing.T, shell []string) {
		for _, c := range []struct {
			name, own, planned string
			rc                 int
			said               string
		}{
			{"apt-get fails", "-", "deb http://x/repo /\n", 100, "are as they were before"},
			{"apt-get fails beside an older source of ours", "older\n", "deb http://x/repo /\n", 100, "are as they were before"},
			{"somebody added an entry", "-", "", 0, "changed since the plan was made"},
		} {
			dir := t.TempDir()
			file, own := filepath.Join(dir, "a.list"), filepath.Join(dir, "own.list")
			write(t, file, "deb http://x/repo /\n")
			if c.own != "-" {
				write(t, own, c.own)
			}
			out, err := replaceWith(t, shell, dir, file, c.planned, c.rc)
			if err == nil || !strings.Contains(out, c.said) {
				t.Errorf("%s: %v\n%s", c.name, err, out)
			}
			if got := content(file); got != "deb http://x/repo /\n" || content(file+".disabled") != "-" {
				t.Errorf("%s: the file reads %q", c.name, got)
			}
			if got := content(own); got != c.own {
				t.Errorf("%s: our own reads %q", c.name, got)
			}
		}
	})
}

func TestAdviceIsNotRefused(t *testing.T) {
	const ours = "http://x/repo"
	for text, want := range map[string]bool{"deb http://x/repo /\n": true, "deb http://deb/ a main\ndeb http://x/repo /\n": false} {
		entries := oneLine("/etc/apt/sources.list", text)
		said := advice(beside(entries, others(entries, ours), ours))
		if strings.Contains(said, "set replace_sources") != want || strings.Contains(said, "http://deb/ (line 1)") == want {
			t.Errorf("%q: %s", text, said)
		}
	}
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
