package venv

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pdprov/pdprov/internal/hostfile"
	"github.com/pdprov/pdprov/internal/pyenv"
	"github.com/pdprov/pdprov/stages/stage"
	"github.com/pdprov/pdprov/stages/stagetest"
)

// bench is a folder with wheels, and one stage that is looked at and carried out
// on this machine.
type bench struct {
	t     *testing.T
	shell []string
	dir   string
	in    stage.Instance
}

func newBench(t *testing.T, shell []string, installer, name string) *bench {
	t.Helper()
	b := &bench{t: t, shell: shell, dir: t.TempDir()}
	python := needPython(t)
	must(t, os.Mkdir(b.wheels(), 0o755))
	for _, w := range [][2]string{{"tiny", "1.0"}, {"tiny", "2.0"}, {"other", "1.0"}} {
		must(t, os.WriteFile(filepath.Join(b.wheels(), wheelName(w[0], w[1])), wheel(t, w[0], w[1]), 0o644))
	}
	b.in = stage.Instance{Addr: "venv.x", Config: stage.Config{Values: map[string]any{
		"path": filepath.Join(b.dir, name), "python": python, "installer": installer, "find_links": b.wheels(), "keep": float64(1),
	}}}
	return b
}

// needPython finds an interpreter that can make environments.
func needPython(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("/usr/bin/env", "python3", "-c", "import sys, ensurepip; print(sys.executable)").Output()
	if err != nil {
		t.Skipf("no python3 with venv on this machine: %v", err)
	}
	return strings.TrimSpace(string(out))
}

func (b *bench) wheels() string { return filepath.Join(b.dir, "wheels") }

func (b *bench) lock(pins ...string) *bench {
	var text strings.Builder
	for _, p := range pins {
		name, version, _ := strings.Cut(p, "==")
		data, err := os.ReadFile(filepath.Join(b.wheels(), wheelName(name, version)))
		must(b.t, err)
		fmt.Fprintf(&text, "%s \\\n    --hash=sha256:%s\n", p, hostfile.Digest(data))
	}
	b.in.Config.Values["lock"] = stage.LocalData{Path: "requirements.lock", Data: []byte(text.String())}
	return b
}

// changes looks and compares.
func (b *bench) changes() (stage.Facts, []stage.Change) {
	b.t.Helper()
	facts := stagetest.Look(b.t, b.shell, Kind{}.Probes(b.in))
	want, _ := Kind{}.Want(b.in, facts)
	have := Kind{}.Have(b.in, facts)
	var changes []stage.Change
	for _, path := range want.Paths() {
		if have[path].State == stage.Unknown {
			b.t.Fatalf("%s is unknown: %s", path, have[path].Reason)
		}
		if !want[path].Matches(have[path]) {
			changes = append(changes, stage.Change{Path: path, Old: have[path], New: want[path]})
		}
	}
	return facts, changes
}

func (b *bench) apply() (string, error) {
	b.t.Helper()
	facts, changes := b.changes()
	if len(changes) == 0 {
		b.t.Fatal("nothing to apply")
	}
	work, found := Kind{}.Work(b.in, facts, changes)
	if len(work.Steps) != 1 {
		b.t.Fatalf("%d steps, %v", len(work.Steps), found)
	}
	return stagetest.Do(b.t, b.shell, work.Steps[0])
}

func (b *bench) converge() {
	b.t.Helper()
	if out, err := b.apply(); err != nil {
		b.t.Fatalf("%v\n%s", err, out)
	}
	if _, changes := b.changes(); len(changes) > 0 {
		b.t.Fatalf("did not converge: %+v", changes)
	}
}

func (b *bench) expect(paths ...string) {
	b.t.Helper()
	_, changes := b.changes()
	var got []string
	for _, c := range changes {
		got = append(got, c.Path+"="+c.Old.Text)
	}
	if strings.Join(got, "\n") != strings.Join(paths, "\n") {
		b.t.Fatalf("changes %q, want %q", got, paths)
	}
}

func (b *bench) target() string {
	b.t.Helper()
	target, err := os.Readlink(b.in.Config.Text("path"))
	must(b.t, err)
	return target
}

func (b *bench) site() string {
	b.t.Helper()
	env := b.in.Config.Text("path") + "/" // Glob alone would read a backslash as a pattern
	found, err := fs.Glob(os.DirFS(env), "lib/python3*/site-packages")
	if err != nil || len(found) != 1 {
		b.t.Fatal(found, err)
	}
	return env + found[0]
}

func TestLifeWithPip(t *testing.T) { life(t, "pip") }

func TestLifeWithUV(t *testing.T) {
	needUV(t)
	life(t, "uv")
}

func TestOneBuildUnderEveryShell(t *testing.T) {
	stagetest.EachShell(t, func(t *testing.T, shell []string) {
		newBench(t, shell, "pip", "app").lock("tiny==1.0", "other==1.0").converge()
	})
}

func life(t *testing.T, installer string) {
	b := newBench(t, []string{"dash"}, installer, `an "odd" $name 'ü' \`).lock("tiny==1.0")
	b.converge()
	first := b.target()
	b.lock("tiny==2.0", "other==1.0").converge()
	if b.target() == first {
		t.Fatal("another lock took the same folder")
	}

	t.Log("back to the first lock: its environment is still there and is used again")
	b.lock("tiny==1.0").converge()
	if b.target() != first {
		t.Fatalf("%s was built though %s is whole", b.target(), first)
	}

	t.Log("drift is seen and repaired by a new environment")
	must(t, os.WriteFile(b.site()+"/tiny-1.0.dist-info/RECORD", []byte("tiny.py,,\n"), 0o644))
	b.expect("dist.tiny.record=changed since it was installed")
	b.converge()
	if b.target() != first+"-r1" {
		t.Fatalf("repaired in %s", b.target())
	}
	must(t, os.Mkdir(b.site()+"/six-1.16.0.dist-info", 0o755))
	b.expect("extra=six broken: six-1.16.0.dist-info has no INSTALLER")
	must(t, os.RemoveAll(b.site()+"/tiny-1.0.dist-info"))
	must(t, os.RemoveAll(b.site()+"/six-1.16.0.dist-info"))
	b.expect("dist.tiny=", "dist.tiny.record=")
	b.converge()
	folders, err := os.ReadDir(b.in.Config.Text("path") + ".d")
	if err != nil || len(folders) != 2 {
		t.Fatalf("with keep = 1 there are %v, %v", folders, err)
	}
	if out, err := exec.Command(b.in.Config.Text("path")+"/bin/python", "-c", "import tiny; print(tiny.version)").CombinedOutput(); err != nil || string(out) != "1.0\n" {
		t.Fatalf("%s %v", out, err)
	}
}

func TestFilesAreComparedWithTheirRecords(t *testing.T) {
	b := newBench(t, []string{"dash"}, "pip", "app").lock("tiny==1.0", "other==1.0")
	b.converge()
	must(t, os.WriteFile(b.site()+"/tiny.py", []byte("version = '1.1'\n"), 0o644))
	b.expect()
	b.in.Deep = true
	b.expect("files=patched file tiny.py of tiny 1.0")
	b.in.Deep = false
	must(t, os.Remove(b.site()+"/other.py"))
	must(t, os.WriteFile(b.site()+"/tiny.py", []byte("version = '1.1' # a hot fix\n"), 0o644))
	must(t, os.WriteFile(b.site()+"/odd.pth", []byte("import os\n"), 0o644))
	b.expect("files=missing file other.py of other 1.0, patched file tiny.py of tiny 1.0")
	facts, _ := b.changes()
	if v := (Kind{}).Have(b.in, facts)["unowned"]; v.Text != "odd.pth" {
		t.Errorf("unowned: %+v", v)
	}
	patched := b.target()
	b.converge()
	if b.target() == patched {
		t.Error("repaired in place")
	}
}

// TestWhatAnotherStageAdded: a dist that a stage lists is neither extra nor a reason to
// build an environment again.
func TestWhatAnotherStageAdded(t *testing.T) {
	b := newBench(t, []string{"dash"}, "pip", "app").lock("tiny==1.0")
	b.converge()
	first := b.target()
	folder := "flash_attn-2.8.3.dist-info"
	for name, text := range map[string]string{"METADATA": "Name: flash-attn\n", "INSTALLER": "pip\n", "RECORD": "flash_attn.py,sha256=x,5\n"} {
		must(t, os.MkdirAll(b.site()+"/"+folder, 0o755))
		must(t, os.WriteFile(b.site()+"/"+folder+"/"+name, []byte(text), 0o644))
	}
	b.expect("extra=flash-attn 2.8.3", "files=missing file flash_attn.py of flash-attn 2.8.3")
	list := b.in.Config.Text("path") + "/" + pyenv.AddedFolder
	must(t, os.Mkdir(list, 0o755))
	must(t, os.WriteFile(list+"/"+pyenv.AddedName("flash_attn.fa"), []byte("dist 1:2 "+folder+"\n"), 0o644))
	b.expect()
	facts, _ := b.changes()
	if v := (Kind{}).Have(b.in, facts)["added.flash-attn"]; v.Text != "2.8.3 by flash_attn.fa" {
		t.Errorf("%+v", v)
	}
	must(t, os.WriteFile(b.site()+"/flash_attn.py", []byte("12345"), 0o644))
	b.lock("tiny==2.0").converge()
	b.lock("tiny==1.0").converge()
	if b.target() != first {
		t.Errorf("%s was built though %s is whole", b.target(), first)
	}
}

// TestWrongRecordOfAWheel: what a wheel's own RECORD has wrong is no drift.
func TestWrongRecordOfAWheel(t *testing.T) {
	b := newBench(t, []string{"dash"}, "pip", "app")
	data := wheel(t, "tiny", "3.0")
	must(t, os.WriteFile(filepath.Join(b.wheels(), wheelName("tiny", "3.0")), misrecord(t, data), 0o644))
	b.lock("tiny==3.0").converge()
	b.in.Deep = true
	b.expect()
	must(t, os.WriteFile(b.site()+"/other.py", []byte(""), 0o644))
	must(t, os.Remove(b.site()+"/tiny-3.0.dist-info/WHEEL"))
	b.expect("files=missing file tiny-3.0.dist-info/WHEEL of tiny 3.0")
}

// misrecord adds to a wheel's RECORD a file that the wheel does not have.
func misrecord(t *testing.T, data []byte) []byte {
	t.Helper()
	in, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	must(t, err)
	var buf bytes.Buffer
	out := zip.NewWriter(&buf)
	for _, f := range in.File {
		w, err := out.Create(f.Name)
		must(t, err)
		r, err := f.Open()
		must(t, err)
		_, err = io.Copy(w, r)
		must(t, err)
		if strings.HasSuffix(f.Name, "/RECORD") {
			_, err = w.Write([]byte("nowhere.py,sha256=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU,7\n"))
			must(t, err)
		}
	}
	must(t, out.Close())
	return buf.Bytes()
}

func TestTamperedWheelLeavesTheOldEnvironment(t *testing.T) {
	b := newBench(t, []string{"dash"}, "pip", "app").lock("tiny==1.0")
	b.converge()
	before := b.target()
	b.lock("tiny==2.0")
	must(t, os.WriteFile(filepath.Join(b.wheels(), wheelName("tiny", "2.0")), wheel(t, "tiny", "2.0", "print('evil')\n"), 0o644))
	if out, err := b.apply(); err == nil || !strings.Contains(out, "HASH") {
		t.Fatalf("%v\n%s", err, out)
	}
	left, err := os.ReadDir(b.in.Config.Text("path") + ".d")
	if err != nil || len(left) != 1 || b.target() != before {
		t.Errorf("left %v, linked to %s, was %s (%v)", left, b.target(), before, err)
	}
}

func TestUnfinishedEnvironmentIsBuiltAgain(t *testing.T) {
	b := newBench(t, []string{"dash"}, "pip", "app").lock("tiny==1.0")
	left := b.in.Config.Text("path") + ".d/" + read(b.in.Config).key
	must(t, os.MkdirAll(left+"/lib/python3.11/site-packages/tiny-1.0.dist-info", 0o755))
	b.converge()

	t.Log("the one in use is not removed before another is there")
	must(t, os.Remove(b.in.Config.Text("path")+"/pdprov.stamp"))
	b.expect("dist.tiny.record=not known to pdprov", "lock=")
	b.converge()
	if !strings.HasSuffix(b.target(), "-r1") {
		t.Error(b.target())
	}
}

func TestWhatIsNoLinkIsNotReplaced(t *testing.T) {
	b := newBench(t, []string{"dash"}, "pip", "app").lock("tiny==1.0")
	must(t, os.Mkdir(b.in.Config.Text("path"), 0o755))
	facts, changes := b.changes()
	if work, found := (Kind{}).Work(b.in, facts, changes); len(work.Steps) > 0 || len(found) != 1 {
		t.Errorf("%+v %+v", work, found)
	}
}

func wheelName(name, version string) string { return name + "-" + version + "-py3-none-any.whl" }

// wheel makes a wheel of one module that knows its version.
func wheel(t *testing.T, name, version string, more ...string) []byte {
	t.Helper()
	info := name + "-" + version + ".dist-info/"
	files := [][2]string{
		{name + ".py", fmt.Sprintf("version = %q\n%s", version, strings.Join(more, ""))},
		{info + "METADATA", fmt.Sprintf("Metadata-Version: 2.1\nName: %s\nVersion: %s\n", name, version)},
		{info + "WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"},
	}
	var record strings.Builder
	for _, f := range files {
		sum := sha256.Sum256([]byte(f[1]))
		fmt.Fprintf(&record, "%s,sha256=%s,%d\n", f[0], base64.RawURLEncoding.EncodeToString(sum[:]), len(f[1]))
	}
	record.WriteString(info + "RECORD,,\n")
	files = append(files, [2]string{info + "RECORD", record.String()})
	var buf bytes.Buffer
	z := zip.NewWriter(&buf)
	for _, f := range files {
		w, err := z.Create(f[0])
		must(t, err)
		_, err = w.Write([]byte(f[1]))
		must(t, err)
	}
	must(t, z.Close())
	return buf.Bytes()
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func writeStub(path, text string) error {
	return os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o755)
}

// needUV skips where this machine has no uv in the place where pdprov looks for it.
func needUV(t *testing.T) {
	t.Helper()
	facts := stagetest.Look(t, []string{"dash"}, []stage.Probe{toolsProbe(wish{})})
	if tools, unknown := readTools(wish{}, facts); unknown != nil || !tools.uv {
		t.Skip("this machine has no uv where pdprov looks for it")
	}
}

// TestManagedPython: uv installs it where every user can start it, and a host that cannot
// fetch it is told what to do.
func TestManagedPython(t *testing.T) {
	needUV(t)
	b := newBench(t, []string{"dash"}, "uv", "app").lock("tiny==1.0")
	v := b.in.Config.Values
	python := v["python"].(string)
	out, err := exec.Command(python, "-c", "import sys; print('%d.%d' % sys.version_info[:2])").Output()
	must(t, err)
	v["python"], v["python_source"], v["python_mirror"] = strings.TrimSpace(string(out)), "managed", "https://mirror.invalid/python"
	if found := (Kind{}).Validate(b.in); len(found) > 0 {
		t.Fatal(found)
	}
	bin := t.TempDir()
	b.shell = []string{"env", "PATH=" + bin + ":/usr/bin:/bin:" + os.Getenv("PDPROV_TEST_TOOLS"), "UV=" + bin + "/uv", "dash"}
	must(t, writeStub(bin+"/uv", "exit 1"))
	said, err := b.apply()
	if err == nil || !strings.Contains(said, "a host that does not reach github.com needs python_mirror") {
		t.Fatalf("%v\n%s", err, said)
	}
	must(t, writeStub(bin+"/uv", `case "$1 $2" in
"python install") echo "$3 $UV_PYTHON_INSTALL_DIR $UV_PYTHON_INSTALL_MIRROR $UV_PYTHON_DOWNLOADS" >"`+bin+`/asked" ;;
"python find") echo "`+python+`" ;;
*) PATH=${PATH#*:}:/usr/local/bin:/root/.local/bin; exec uv "$@" ;;
esac`))
	b.converge()
	asked, err := os.ReadFile(bin + "/asked")
	if want := v["python"].(string) + " /opt/pdprov/python https://mirror.invalid/python manual\n"; err != nil || string(asked) != want {
		t.Errorf("uv was asked %q, want %q (%v)", asked, want, err)
	}
}

func TestPylockWithUV(t *testing.T) {
	needUV(t)
	b := newBench(t, []string{"dash"}, "uv", "app")
	b.lock("tiny==1.0")
	delete(b.in.Config.Values, "find_links")
	lock := func(sum string) {
		b.in.Config.Values["lock"] = stage.LocalData{Path: "pylock.toml", Data: []byte(fmt.Sprintf(
			"lock-version = \"1.0\"\ncreated-by = \"test\"\n[[packages]]\nname = \"tiny\"\nversion = \"1.0\"\nwheels = [{ url = \"file://%s/%s\", hashes = { sha256 = %q } }]\n",
			b.wheels(), wheelName("tiny", "1.0"), sum))}
	}
	data, err := os.ReadFile(filepath.Join(b.wheels(), wheelName("tiny", "1.0")))
	must(t, err)
	lock(strings.Repeat("0", 64))
	if out, err := b.apply(); err == nil || !strings.Contains(out, "Hash mismatch") {
		t.Fatalf("%v\n%s", err, out)
	}
	lock(hostfile.Digest(data))
	b.converge()
}

// TestMirrorOfTorchGivesTorchAlone: the index of torch holds an old "other", which no
// installer may take, and a tiny of other bytes.
func TestMirrorOfTorchGivesTorchAlone(t *testing.T) {
	for _, installer := range []string{"pip", "uv"} {
		t.Run(installer, func(t *testing.T) {
			if installer == "uv" {
				needUV(t)
			}
			b := newBench(t, []string{"dash"}, installer, "app")
			index := filepath.Join(b.dir, "index")
			put := func(where, name, version, more string) []byte {
				data := wheel(t, name, version, more)
				must(t, os.MkdirAll(filepath.Join(index, where, name), 0o755))
				must(t, os.WriteFile(filepath.Join(index, where, name, wheelName(name, version)), data, 0o644))
				return data
			}
			put("torch", "other", "0.1", "")
			put("torch", "tiny", "1.0", "evil = True\n")
			put("pypi", "torch", "2.11.0", "")
			pins := fmt.Sprintf("torch==2.11.0+cu130 --hash=sha256:%s\ntiny==1.0 --hash=sha256:%s\nother==1.0 --hash=sha256:%s\n",
				hostfile.Digest(put("torch", "torch", "2.11.0+cu130", "")), hostfile.Digest(put("pypi", "tiny", "1.0", "")), hostfile.Digest(put("pypi", "other", "1.0", "")))
			server := httptest.NewServer(http.FileServer(http.Dir(index)))
			t.Cleanup(server.Close)
			v := b.in.Config.Values
			delete(v, "find_links")
			v["lock"] = stage.LocalData{Path: "req.lock", Data: []byte(pins)}
			v["cuda"], v["index_url"], v["torch_index_url"] = "cu130", server.URL+"/pypi", server.URL+"/torch"
			if out, err := b.apply(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			b.expect("torch.cuda=") // the wheel of this test holds no torch/version.py
			plantTorch(t, b.site(), "13.0")
			b.expect()
			plantTorch(t, b.site(), "12.8")
			b.expect("torch.cuda=12.8")
		})
	}
}

func plantTorch(t *testing.T, site, cuda string) {
	t.Helper()
	must(t, os.MkdirAll(site+"/torch", 0o755))
	must(t, os.WriteFile(site+"/torch/version.py", []byte("__version__ = '2.11.0+cu130'\ncuda: Optional[str] = '"+cuda+"'\n"), 0o644))
}
