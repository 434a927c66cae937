package hostfile

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/pdprov/pdprov/stages/stage"
)

var shells = [][]string{{"dash"}, {"bash"}, {"busybox", "sh"}}

// ask runs the probes as one merged process, with extra folders first in PATH.
func ask(t *testing.T, shell []string, path string, probes ...stage.Probe) stage.Facts {
	t.Helper()
	var args []string
	for _, p := range probes {
		args = append(args, p.Args...)
	}
	cmd := exec.Command(shell[0], append(append(shell[1:], "-c", script, "sh"), args...)...)
	cmd.Env = []string{"LC_ALL=C", "PATH=" + path + "/usr/bin:/bin:/usr/sbin"}
	out, err := cmd.Output()
	a := stage.Answer{Outcome: stage.Answered, Body: out}
	if err != nil {
		a = stage.Answer{Outcome: stage.Failed, Body: out, Detail: err.Error()}
	}
	facts := stage.Facts{}
	for _, p := range probes {
		facts[p.ID] = a
	}
	return facts
}

func eachShell(t *testing.T, do func(t *testing.T, shell []string)) {
	t.Helper()
	for _, shell := range shells {
		t.Run(shell[0], func(t *testing.T) {
			if _, err := exec.LookPath(shell[0]); err != nil {
				t.Skipf("no %s on this machine", shell[0])
			}
			do(t, shell)
		})
	}
}

// odd names, as issue 3 lists them; each is a whole file name.
var odd = []string{
	"plain", "with space", "quo'te\"s", "$HOME `x` $(y)", "new\nline", "-dash", "back\\slash", "ünï漢字",
	strings.Repeat("n", 200), "a: No such file or directory", "end 0:\nend", "tail\n", "*", "=81a4:1:2", "x\nstat: cannot statx 'x': No such file or directory",
}

func TestOddNamesWithAndWithoutFiles(t *testing.T) {
	eachShell(t, func(t *testing.T, shell []string) {
		dir := t.TempDir()
		odd := odd
		if shell[0] == "busybox" { // its own stat does not escape a newline: unknown, never wrong
			odd = slices.DeleteFunc(slices.Clone(odd), func(s string) bool { return strings.Contains(s, "\n") })
		}
		var probes []stage.Probe
		for i, name := range odd {
			path := filepath.Join(dir, name)
			if i%2 == 0 {
				write(t, path, "content of "+name)
			}
			probes = append(probes, Look(path, Digest([]byte("other"))), Look(path+"x", ""), Stat(path))
		}
		facts := ask(t, shell, "", probes...)
		for i, name := range odd {
			whole, next, bare := Read(probes[3*i], facts), Read(probes[3*i+1], facts), Read(probes[3*i+2], facts)
			if next.Type != Gone {
				t.Errorf("%q + x: %+v", name, next)
			}
			if i%2 == 1 {
				if whole.Type != Gone || bare.Type != Gone {
					t.Errorf("%q is not there, seen as %+v", name, whole)
				}
				continue
			}
			if text := "content of " + name; whole.Sum != Digest([]byte(text)) || string(whole.Body) != text {
				t.Errorf("%q: %.300v", name, whole)
			}
			if bare.Type != File || bare.Sum != "" || bare.HasBody {
				t.Errorf("%q by stat: %+v", name, bare)
			}
		}
	})
}

func TestTypes(t *testing.T) {
	eachShell(t, func(t *testing.T, shell []string) {
		dir := t.TempDir()
		at := func(name string) string { return filepath.Join(dir, name) }
		write(t, at("f"), "x")
		must(t, os.Mkdir(at("d"), 0o700))
		must(t, os.Symlink("f", at("l")))
		must(t, os.Symlink("nowhere", at("dangling")))
		must(t, os.Symlink("loop", at("loop")))
		must(t, syscall.Mkfifo(at("p"), 0o600))
		for path, want := range map[string]Type{
			at("f"): File, at("d"): Directory, at("l"): Symlink, at("dangling"): Symlink, at("loop"): Symlink,
			at("p"): Fifo, "/dev/null": Device, at("gone"): Gone, at("f/x"): Blocked, at("loop/x"): "",
		} {
			p := Look(path, "")
			s := Read(p, ask(t, shell, "", p))
			if s.Type != want {
				t.Errorf("%s: %q, want %q (%s)", path, s.Type, want, s.Reason)
			}
			if want == "" && s.Reason == "" {
				t.Errorf("%s: unknown without a reason", path)
			}
		}
	})
}

func TestContentComesOnlyWhereItDiffersAndIsSmall(t *testing.T) {
	dir := t.TempDir()
	write(t, dir+"/small", "abc")
	write(t, dir+"/large", strings.Repeat("x", MaxText+1))
	cases := []struct {
		probe stage.Probe
		body  bool
	}{
		{Look(dir+"/small", Digest([]byte("abc"))), false},
		{Look(dir+"/small", Digest([]byte("abd"))), true},
		{Look(dir+"/small", ""), false},
		{Look(dir+"/large", Digest([]byte("abd"))), false},
	}
	for _, c := range cases {
		if s := Read(c.probe, ask(t, shells[0], "", c.probe)); s.HasBody != c.body || s.Sum == "" {
			t.Errorf("%s: %+v", c.probe.ID, s)
		}
	}
}

// A tool that fails, lies or dies never makes a file absent, nor one that differs equal.
func TestBrokenToolsGiveUnknown(t *testing.T) {
	stubs := map[string]string{
		"fails": "exit 1", "killed": "kill -9 $$", "silent": "exit 0", "garbage": "echo '=:::'; exit 0",
		"two lines": "echo x; echo y", "says gone": "echo 'stat: cannot statx: No such file or directory' >&2; exit 1",
		"127": "echo 'stat: x: No such file or directory' >&2; exit 127",
	}
	eachShell(t, func(t *testing.T, shell []string) {
		if shell[0] == "busybox" {
			t.Skip("busybox runs its own stat and sha256sum whatever PATH says")
		}
		for name, text := range stubs {
			dir := t.TempDir()
			write(t, dir+"/f", "x")
			must(t, os.Mkdir(dir+"/bin", 0o755))
			for _, tool := range []string{"stat", "sha256sum"} {
				stub := dir + "/bin/" + tool
				must(t, os.WriteFile(stub, []byte("#!/bin/sh\n"+text+"\n"), 0o755))
				there, gone := Look(dir+"/f", Digest([]byte("y"))), Look(dir+"/gone", "")
				facts := ask(t, shell, dir+"/bin:", there, gone)
				s, g := Read(there, facts), Read(gone, facts)
				if s.Type == Gone || s.Sum != "" || s.HasBody || s.Type == "" && s.Reason == "" {
					t.Errorf("%s %s: the file is seen as %+v", tool, name, s)
				}
				if tool == "stat" && g.Type != "" {
					t.Errorf("%s %s: the missing path is seen as %+v", tool, name, g)
				}
				must(t, os.Remove(stub))
			}
		}
	})
}

func TestWrite(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("chown needs root")
	}
	eachShell(t, func(t *testing.T, shell []string) {
		for _, name := range odd {
			dir := t.TempDir()
			path := filepath.Join(dir, "a", name, name)
			data := []byte("one\x00two\n" + name)
			step := Write("x", Wish{Path: path, Data: data, Mode: "4750", Owner: "nobody", Group: "0"})
			if out, err := carryOut(t, shell, step); err != nil {
				t.Fatalf("%q: %v %s", name, err, out)
			}
			p := Look(path, "")
			s := Read(p, ask(t, shells[0], "", p))
			if s.Sum != Digest(data) || s.Mode != "4750" || s.Owner != "nobody" || s.GID != "0" {
				t.Errorf("%q: %+v", name, s)
			}
			left(t, filepath.Dir(path), 1)
		}
	})
}

func TestWriteReplacesASymlinkAndRefusesADirectory(t *testing.T) {
	dir := t.TempDir()
	write(t, dir+"/target", "old")
	must(t, os.Symlink("target", dir+"/link"))
	wish := Wish{Path: dir + "/link", Data: []byte("new"), Mode: "0644", Owner: "0", Group: "0"}
	if out, err := carryOut(t, shells[0], Write("x", wish)); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	if b, _ := os.ReadFile(dir + "/target"); string(b) != "old" {
		t.Errorf("the symlink was followed")
	}
	must(t, os.Mkdir(dir+"/d", 0o755))
	wish.Path = dir + "/d"
	if out, err := carryOut(t, shells[0], Write("x", wish)); err == nil {
		t.Errorf("a directory was replaced: %s", out)
	}
	left(t, dir+"/d", 0)
}

func TestFailedWriteKeepsTheOldFile(t *testing.T) {
	for name, broken := range map[string]string{"chown": "chown", "full disk": "cat", "digest": "sha256sum", "rename": "mv"} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir+"/f", "old")
			bin := t.TempDir()
			must(t, os.WriteFile(bin+"/"+broken, []byte("#!/bin/sh\necho 'no space left' >&2\nexit 1\n"), 0o755))
			step := Write("x", Wish{Path: dir + "/f", Data: []byte("new"), Mode: "0644", Owner: "0", Group: "0"})
			step.Script = "PATH=" + bin + ":$PATH\n" + step.Script
			if out, err := carryOut(t, shells[0], step); err == nil {
				t.Errorf("it ended well: %s", out)
			}
			if b, _ := os.ReadFile(dir + "/f"); string(b) != "old" {
				t.Errorf("the old file reads %q", b)
			}
			left(t, dir, 1)
		})
	}
}

// TestFailedWriteLeavesNoFolders: parent folders that it made go with it, those of others stay.
func TestFailedWriteLeavesNoFolders(t *testing.T) {
	dir, bin := t.TempDir(), t.TempDir()
	must(t, os.WriteFile(bin+"/mv", []byte("#!/bin/sh\nexit 1\n"), 0o755))
	must(t, os.Mkdir(dir+"/there", 0o755))
	for _, path := range []string{dir + "/a b/c/-d/f", dir + "/there/e/f", dir + "/there/f"} {
		step := Write("x", Wish{Path: path, Data: []byte("new"), Mode: "0644", Owner: "0", Group: "0"})
		step.Script = "PATH=" + bin + ":$PATH\n" + step.Script
		if out, err := carryOut(t, shells[0], step); err == nil {
			t.Errorf("%s ended well: %s", path, out)
		}
		left(t, dir, 1)
		left(t, dir+"/there", 0)
	}
}

func TestFullDiskKeepsTheOldFile(t *testing.T) {
	dir := t.TempDir()
	step := Write("x", Wish{Path: dir + "/f", Data: bytes.Repeat([]byte("new"), 50000), Mode: "0644", Owner: "0", Group: "0"})
	step.Script = "mount -t tmpfs -o size=64k none " + dir + " || exit 77\nprintf old >" + dir + "/f\nif (\n" + step.Script + ") then echo ended well; fi\n" +
		"ls -A " + dir + "\ncat " + dir + "/f\n"
	out, err := carryOut(t, []string{"unshare", "--mount", "dash"}, step)
	if err != nil {
		t.Skipf("no mount of its own for this test: %v %s", err, out)
	}
	if !strings.Contains(string(out), "No space left") || !strings.HasSuffix(string(out), "\nf\nold") || strings.Contains(string(out), "ended well") {
		t.Errorf("%s", out)
	}
}

func carryOut(t *testing.T, shell []string, step stage.Step) ([]byte, error) {
	t.Helper()
	files := t.TempDir()
	for _, f := range step.Files {
		must(t, os.WriteFile(filepath.Join(files, f.Name), f.Data, 0o600))
	}
	cmd := exec.Command(shell[0], append(shell[1:], "-eu")...)
	cmd.Stdin = bytes.NewBufferString(step.Script)
	cmd.Env = []string{"LC_ALL=C", "PATH=/usr/bin:/bin:/usr/sbin", "PDPROV_FILES=" + files}
	return cmd.CombinedOutput()
}

func left(t *testing.T, dir string, n int) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != n {
		t.Errorf("%s holds %v, want %d entries (%v)", dir, entries, n, err)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	must(t, os.WriteFile(path, []byte(text), 0o644))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func FuzzPick(f *testing.F) {
	f.Fuzz(func(t *testing.T, body []byte) {
		if s, err := pick(body, "hash:/x"); err == nil && s.Type == File && len(s.Sum) != 64 && s.Reason == "" {
			t.Errorf("a file without digest and reason: %+v", s)
		}
	})
}
