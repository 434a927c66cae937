package pyenv

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdprov/pdprov/stages/stage"
	"github.com/pdprov/pdprov/stages/stagetest"
)

// row is a line of a RECORD.
func row(path, text string) string {
	sum := sha256.Sum256([]byte(text))
	if strings.ContainsAny(path, `",`) {
		path = `"` + strings.ReplaceAll(path, `"`, `""`) + `"`
	}
	return fmt.Sprintf("%s,sha256=%s,%d\n", path, base64.RawURLEncoding.EncodeToString(sum[:]), len(text))
}

// recorded is an environment of two dists whose files are as their RECORDs say.
func recorded(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), `an "odd" $name`)
	files := map[string]string{"tiny.py": "x = 1\n", `tiny/a, "b" \c.py`: "", "tiny/ü 漢.py": "2", "../../../bin/tiny": "#!\n", "-n.py": "3"}
	record := "tiny-1.dist-info/RECORD,,\ntiny/__pycache__/x.pyc,sha256=abc,5\ntiny/y.pyc,,\nshared/__init__.py,sha256=x,9\n"
	for path, text := range files {
		record += row(path, text)
		plant(t, dir, map[string]string{site + path: text})
	}
	plant(t, dir, map[string]string{
		"bin/python":                                "",
		site + "tiny-1.dist-info/RECORD":            strings.ReplaceAll(record, "\n", "\r\n"),
		site + "other_x-2.dist-info/RECORD":         row("shared/__init__.py", "s") + row("z/z.py", "zzz"),
		site + "shared/__init__.py":                 "s",
		site + "z/z.py":                             "zzz",
		site + "_virtualenv.py":                     "",
		site + "__pycache__/tiny.cpython-312.pyc":   "",
		site + "tiny/__pycache__/tiny.cpython3.pyc": "",
	})
	return dir
}

func look(t *testing.T, shell []string, dir string, deep bool) Files {
	t.Helper()
	f, unknown := ReadFiles(dir, deep, stagetest.Look(t, shell, []stage.Probe{FilesProbe(dir, deep)}))
	if unknown != nil {
		t.Fatal(unknown.Reason)
	}
	return f
}

func TestFilesUnderEveryShell(t *testing.T) {
	stagetest.EachShell(t, func(t *testing.T, shell []string) {
		dir := recorded(t)
		for _, deep := range []bool{false, true} {
			if d := cmp.Diff(Files{}, look(t, shell, dir, deep)); d != "" {
				t.Fatalf("untouched, deep %v: %s", deep, d)
			}
		}
		plant(t, dir, map[string]string{site + "tiny.py": "x = 2\n"})
		if d := cmp.Diff(Files{}, look(t, shell, dir, false)); d != "" {
			t.Errorf("an edit that keeps the size is seen without reading: %s", d)
		}
		want := Files{Off: []Off{{false, "tiny 1", "tiny.py"}}}
		if d := cmp.Diff(want, look(t, shell, dir, true)); d != "" {
			t.Errorf("an edit that keeps the size: %s", d)
		}
		plant(t, dir, map[string]string{site + "z/z.py": "longer", site + "evil.pth": "import evil\n", site + "lost/x.py": ""})
		must(t, os.Remove(filepath.Join(dir, site, `tiny/a, "b" \c.py`)))
		want = Files{
			Off:     []Off{{false, "other-x 2", "z/z.py"}, {true, "tiny 1", `tiny/a, "b" \c.py`}},
			Unowned: []string{"evil.pth", "lost"},
		}
		if d := cmp.Diff(want, look(t, shell, dir, false)); d != "" {
			t.Errorf("size, missing, unowned: %s", d)
		}
		plant(t, dir, map[string]string{"pdprov.known": "missing\ttiny-1\ttiny/a, \"b\" \\c.py\n"})
		if f := look(t, shell, dir, false); len(f.Off) != 1 || f.Off[0].String() != "patched file z/z.py of other-x 2" {
			t.Errorf("what was off when it was installed is not known: %v", f.Off)
		}
	})
}

func TestManyFilesAreCounted(t *testing.T) {
	dir := t.TempDir()
	var record strings.Builder
	for i := range 1000 {
		record.WriteString(row(fmt.Sprintf("m/%d.py", i), "x"))
	}
	plant(t, dir, map[string]string{site + "many-1.dist-info/RECORD": record.String()})
	if f := look(t, []string{"dash"}, dir, false); len(f.Off) != 200 || f.More != 800 || !f.Off[0].Missing {
		t.Errorf("%d named, %d more", len(f.Off), f.More)
	}
}

// TestBrokenToolsCompareNothing: no tool that fails makes files look as installed.
func TestBrokenToolsCompareNothing(t *testing.T) {
	dir := recorded(t)
	for _, tool := range []string{"awk", "stat", "xargs", "tr", "sha256sum"} {
		for name, text := range map[string]string{"fails": "exit 1", "killed": "kill -9 $$", "silent": "exit 0", "status 66": "exit 66", "garbage": "echo x"} {
			bin := t.TempDir()
			must(t, os.WriteFile(bin+"/"+tool, []byte("#!/bin/sh\n"+text+"\n"), 0o755))
			facts := stagetest.Look(t, []string{"env", "PATH=" + bin + ":/usr/bin:/bin", "dash"}, []stage.Probe{FilesProbe(dir, true)})
			if f, unknown := ReadFiles(dir, true, facts); unknown == nil || unknown.Reason == "" {
				t.Errorf("%s %s gave %+v", tool, name, f)
			}
		}
	}
}

func TestFilesScriptIsGoodSh(t *testing.T) { stagetest.Lint(t, "files", filesScript) }

// TestFilesWithBusybox: on small hosts every tool is busybox.
func TestFilesWithBusybox(t *testing.T) {
	busybox, err := exec.LookPath("busybox")
	if err != nil {
		t.Skip("busybox is not installed")
	}
	bin := t.TempDir()
	for _, tool := range []string{"awk", "stat", "xargs", "tr", "sha256sum", "sh", "readlink"} {
		must(t, os.Symlink(busybox, filepath.Join(bin, tool)))
	}
	dir := recorded(t)
	shell := []string{"env", "PATH=" + bin, "sh"}
	if d := cmp.Diff(Files{}, look(t, shell, dir, true)); d != "" {
		t.Errorf("untouched: %s", d)
	}
	plant(t, dir, map[string]string{site + "tiny.py": "x = 2\n"})
	if f := look(t, shell, dir, true); len(f.Off) != 1 || f.More != 0 {
		t.Errorf("%+v", f)
	}
}
