package nvrepo

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pdprov/pdprov/internal/osrelease"
	"github.com/pdprov/pdprov/internal/posixsh"
	"github.com/pdprov/pdprov/stages/stage"
	"github.com/pdprov/pdprov/stages/stagetest"
)

// facts are those of a host with one source file.
func facts(system, file, text string) stage.Facts {
	said := file + "\n" + text
	return stage.Facts{
		osrelease.ID: {Outcome: stage.Answered, Body: []byte(system)},
		keyID:        {Outcome: stage.Absent},
		sourcesID:    {Outcome: stage.Answered, Body: fmt.Appendf(nil, "file %d:%s\nend 0:\n", len(said), said)},
	}
}

func TestKeyIsProvedBeforeAFileIsRenamed(t *testing.T) {
	in := stage.Instance{Config: stage.Config{Values: map[string]any{
		"repository": "http://x/repo", "key_fingerprint": testKey, "replace_sources": true,
	}}}
	changes := []stage.Change{{Path: KeyPath}, {Path: OthersPath}}
	for name, c := range map[string]struct {
		facts          stage.Facts
		want           string // the first word of each step
		shown, refused string
	}{
		"apt": {
			facts("ID=debian\nVERSION_ID=12\n", "/etc/apt/sources.list.d/a.list", "deb http://x/repo /\n"),
			"fetch check rename", "rename /etc/apt/sources.list.d/a.list to /etc/apt/sources.list.d/a.list.disabled", "",
		},
		"dnf": {
			facts("ID=rocky\nID_LIKE=\"rhel centos fedora\"\nVERSION_ID=9.4\n", "/etc/yum.repos.d/a.repo", "[a]\nbaseurl=http://x/repo\n"),
			"fetch rename", "rename /etc/yum.repos.d/a.repo to", "",
		},
		"mixed": {
			facts("ID=debian\nVERSION_ID=12\n", "/etc/apt/sources.list", "deb http://deb/ a main\ndeb http://x/repo /\n"),
			"", "/etc/apt/sources.list:2", "/etc/apt/sources.list names the repository, but also http://deb/ (line 1)",
		},
		"a name that apt ignores": {
			facts("ID=debian\nVERSION_ID=12\n", "/etc/apt/sources.list.d/a b.list", "deb http://x/repo /\n"),
			"fetch write fetch", "", "",
		},
	} {
		s := stage.Surface{}
		refused := fmt.Sprint(Want(in, c.facts, s))
		if (refused != "[]") != (c.refused != "") || !strings.Contains(refused, c.refused) {
			t.Errorf("%s: refused with %s", name, refused)
		}
		Have(in, c.facts, s)
		if got := s[OthersPath].Text; !strings.Contains(got, c.shown) || (got == "") != (c.shown == "") || c.refused != "" && strings.Contains(got, "rename") {
			t.Errorf("%s: the plan shows %q", name, got)
		}
		var words []string
		if c.refused == "" {
			for _, step := range Steps(in, c.facts, changes) {
				words = append(words, strings.Fields(step.Title)[0])
				stagetest.Lint(t, step.Title, "set -eu\n"+step.Script)
			}
		}
		if got := strings.Join(words, " "); got != c.want {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// TestSourceThatAnEarlierStageReplaces: the plan of the stage that comes after is not
// refused, and the look before its turn, when nothing is pending, is.
func TestSourceThatAnEarlierStageReplaces(t *testing.T) {
	values := func(address string, replace bool) map[string]any {
		return map[string]any{"repository": address, "key_fingerprint": testKey, "replace_sources": replace}
	}
	const alone, mixed = "deb http://x/repo /\n", "deb http://deb/ a main\ndeb http://x/repo /\n"
	for name, c := range map[string]struct {
		theirs  map[string]any
		pending bool
		text    string
		refused bool
	}{
		"replaces":             {values("http://x/repo/", true), true, alone, false},
		"done already":         {values("http://x/repo", true), false, alone, true},
		"does not":             {values("http://x/repo", false), true, alone, true},
		"another repository":   {values("http://y/repo", true), true, alone, true},
		"a file of two things": {values("http://x/repo", true), true, mixed, true},
	} {
		in := stage.Instance{
			Config:  stage.Config{Values: values("http://x/repo", false)},
			Refs:    map[string]stage.Referred{"driver.gpu": {Kind: "driver", Config: stage.Config{Values: c.theirs}}},
			Pending: map[string]bool{"driver.gpu": c.pending},
		}
		findings := Want(in, facts("ID=debian\nVERSION_ID=12\n", "/etc/apt/sources.list.d/a.list", c.text), stage.Surface{})
		if (len(findings) > 0) != c.refused {
			t.Errorf("%s: %v", name, findings)
		}
	}
}

// TestProofFailsWithApt stands in for apt-get, which keeps what it was asked to read.
func TestProofFailsWithApt(t *testing.T) {
	r := Repository{URL: "http://x/repo", Fingerprint: testKey}
	stagetest.EachShell(t, func(t *testing.T, shell []string) {
		for _, rc := range []int{0, 100} {
			bin := t.TempDir()
			fake := fmt.Sprintf("#!/bin/sh\nfor w do case $w in Dir::Etc::sourcelist=*) cat \"${w#*=}\" >%s/read ;; esac; done\nexit %d\n", bin, rc)
			if err := os.WriteFile(filepath.Join(bin, "apt-get"), []byte(fake), 0o755); err != nil {
				t.Fatal(err)
			}
			step := r.prove()
			step.Script = "PATH=" + posixsh.Quote(bin) + ":$PATH TMPDIR=" + posixsh.Quote(bin) + "; export TMPDIR\n" +
				strings.Replace(step.Script, "dir=$(", "lock_files=''\ndir=$(", 1)
			out, err := stagetest.Do(t, shell, step)
			if (err == nil) != (rc == 0) {
				t.Errorf("apt-get exits %d: %v %s", rc, err, out)
			}
			if got, err := os.ReadFile(filepath.Join(bin, "read")); string(got) != r.line() {
				t.Errorf("apt-get reads %q, %v", got, err)
			}
			if left, _ := filepath.Glob(bin + "/tmp.*"); len(left) > 0 {
				t.Errorf("left: %v", left)
			}
		}
	})
}
