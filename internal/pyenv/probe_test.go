package pyenv

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdprov/pdprov/stages/stage"
	"github.com/pdprov/pdprov/stages/stagetest"
)

// plant writes files below a folder, "" making a folder.
func plant(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(t, os.WriteFile(path, []byte(text), 0o755))
	}
}

const site = "lib/python3.12/site-packages/"

// planted is an environment with torch from its CUDA 13 index, and with what a stage added.
func planted(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), `an "odd" $name`)
	plant(t, dir, map[string]string{
		"bin/python":   "#!/bin/sh\n",
		"pyvenv.cfg":   "home = /usr/bin\nversion_info = 3.12.3\n",
		"pdprov.stamp": "lock abc\ndist 1:2 torch-2.11.0.dist-info\n",
		"pdprov.added/" + AddedName(`module.x.flash_attn.fa["a/b"]`): "dist 3:4 flash_attn-2.8.3.dist-info\n",
		site + "torch/version.py":                                    "from typing import Optional\n\n__all__ = ['__version__', 'cuda']\n__version__ = '2.11.0+cu130'\ndebug = False\ncuda: Optional[str] = '13.0'\ngit_version = 'x'\nhip: Optional[str] = None\n",
		site + "torch-2.11.0.dist-info/METADATA":                     "Name: torch\n",
		site + "torch-2.11.0.dist-info/RECORD":                       "torch/version.py,,\n",
		site + "torch-2.11.0.dist-info/INSTALLER":                    "uv", // without a newline
		site + "flash_attn-2.8.3.dist-info/RECORD":                   "",
		site + "flash_attn-2.8.3.dist-info/direct_url.json":          `{"url": "file:///w.whl"}`,
		site + "nvidia_cublas-13.0.0.19.dist-info/METADATA":          "",
		site + "Nixl.cu12-1.3.0.dist-info/METADATA":                  "",
		site + "old-1.egg-info":                                      "",
		site + "x.pth":                                               "import x\n",
	})
	return dir
}

func TestReadOfEveryShell(t *testing.T) {
	dir := planted(t)
	stagetest.EachShell(t, func(t *testing.T, shell []string) {
		e, unknown := Read(dir, stagetest.Look(t, shell, []stage.Probe{Probe(dir)}))
		if unknown != nil {
			t.Fatal(unknown.Reason)
		}
		want := map[string]string{
			"torch": "2.11.0 uv", "flash-attn": "2.8.3  broken: flash_attn-2.8.3.dist-info has no INSTALLER {\"url\": \"file:///w.whl\"}",
			"nvidia-cublas": "13.0.0.19  broken: nvidia_cublas-13.0.0.19.dist-info has no INSTALLER",
			"nixl-cu12":     "1.3.0  broken: Nixl.cu12-1.3.0.dist-info has no INSTALLER", "old": "1 (egg-info)",
		}
		got := map[string]string{}
		for name, dists := range e.Dists {
			d := dists[0]
			got[name] = strings.TrimSpace(strings.Join([]string{d.Version, d.Installer, d.Broken, d.Direct}, " "))
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("distributions (-want +got):\n%s", d)
		}
		if e.Python() != "3.12.3" || e.Tag() != "cp312" || !e.Alive || e.Target != "" || e.Stamp.Lock != "abc" || !e.Stamp.Lists("torch") {
			t.Errorf("%+v", e)
		}
		if e.Torch.Version != "2.11.0+cu130" || e.Torch.CUDA != "13.0" || e.Torch.Major() != "13" || e.Torch.Minor() != "2.11" {
			t.Errorf("%+v", e.Torch)
		}
		if d := cmp.Diff(map[string][]string{"13": {"nvidia-cublas"}, "12": {"nixl-cu12"}}, e.CUDAMajors()); d != "" {
			t.Errorf("CUDA majors (-want +got):\n%s", d)
		}
		if by := e.AddedBy("flash-attn"); by != `module.x.flash_attn.fa["a/b"]` || e.AddedBy("torch") != "" {
			t.Errorf("added by %q", by)
		}
		if len(e.Inject) != 1 || e.Inject[0] != "x.pth" {
			t.Errorf("%q", e.Inject)
		}
	})
}

func TestNothingThere(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "none")
	if e, unknown := Read(dir, stagetest.Look(t, []string{"dash"}, []stage.Probe{Probe(dir)})); unknown != nil || e.There() || e.Torch.There {
		t.Errorf("%+v %+v", e, unknown)
	}
}

// TestBrokenToolsGiveUnknown: no tool that fails makes an environment look empty.
func TestBrokenToolsGiveUnknown(t *testing.T) {
	dir := planted(t)
	must(t, os.Symlink(dir, dir+"-link"))
	for _, tool := range []string{"readlink", "sha256sum"} {
		for name, text := range map[string]string{"fails": "exit 1", "killed": "kill -9 $$", "silent": "exit 0", "status 66": "exit 66", "garbage": "echo x"} {
			bin := t.TempDir()
			must(t, os.WriteFile(bin+"/"+tool, []byte("#!/bin/sh\n"+text+"\n"), 0o755))
			facts := stagetest.Look(t, []string{"env", "PATH=" + bin + ":/usr/bin:/bin", "dash"}, []stage.Probe{Probe(dir + "-link")})
			if _, unknown := Read(dir+"-link", facts); unknown == nil || unknown.Reason == "" {
				t.Errorf("%s %s was believed", tool, name)
			}
		}
	}
}

func TestTorchThatIsNotUnderstood(t *testing.T) {
	for text, want := range map[string]Torch{
		"__version__ = '2.9.1+cpu'\ncuda: Optional[str] = None\n": {There: true, Version: "2.9.1+cpu"},
		"__version__ = \"2.6.0\"\ncuda = '12.4'\n":                {There: true, Version: "2.6.0", CUDA: "12.4"},
	} {
		if got := readTorch(text); got != want {
			t.Errorf("%q: %+v", text, got)
		}
	}
	for _, text := range []string{"", "__version__ = '2.9.1'\n", "cuda = '12.4'\n", "__version__ = f()\ncuda = None\n"} {
		if got := readTorch(text); got.Trouble == "" {
			t.Errorf("%q was understood as %+v", text, got)
		}
	}
}

func TestScriptIsGoodSh(t *testing.T) { stagetest.Lint(t, "pyenv", script) }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
