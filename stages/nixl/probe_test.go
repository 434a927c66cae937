package nixl

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pdprov/pdprov/internal/pyenv"
	"github.com/pdprov/pdprov/stages/stage"
	"github.com/pdprov/pdprov/stages/stagetest"
)

func instance(values map[string]any) stage.Instance {
	c := stage.Config{Values: map[string]any{"venv": "/opt/n", "size": "64MiB", "repeats": float64(5), "stall": "30s", "timeout": "5m"}}
	for name, v := range values {
		c.Values[name] = v
	}
	return stage.Instance{Addr: "nixl.kv", Config: c}
}

// layout makes an environment of empty files.
func layout(t *testing.T, files ...string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "a b'\"$x")
	for _, f := range files {
		path := filepath.Join(dir, "lib/python3.12/site-packages", f)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("12345"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

var wheel = []string{
	"nixl_cu12/_api.py", "nixl_cu13/_api.py", ".nixl_cu13.mesonpy.libs/plugins/libplugin_UCX.so", ".nixl_cu13.mesonpy.libs/plugins/libplugin_POSIX.so",
	"nixl_cu13.libs/libucp-1da16952.so.0.0.0", "nixl_cu13.libs/nixl/libplugin_UCX.so", "nixl_cu13.libs/ucx/libuct_cma.so.0.0.0", "nixl_cu13.libs/ucx/libuct_cuda.so.0.0.0",
}

func TestPieces(t *testing.T) {
	stagetest.EachShell(t, func(t *testing.T, shell []string) {
		dir := layout(t, wheel...)
		w := read(instance(map[string]any{"venv": dir}))
		p, doubt := w.pieces(stagetest.Look(t, shell, []stage.Probe{w.piecesProbe()}))
		if doubt != nil {
			t.Fatal(doubt.Reason)
		}
		name, tr := p.picked(pyenv.Torch{})
		if name != "nixl_cu13" || !tr.brings(plugin) || len(tr.plugins) != 2 || tr.plugins[0].size != "5" ||
			tr.ucx() != "libucp-1da16952.so.0.0.0" || !slices.Equal(tr.moduleNames(), []string{"cma", "cuda"}) {
			t.Errorf("%s %+v", name, tr)
		}
		if name, _ := p.picked(pyenv.Torch{There: true, CUDA: "12.8"}); name != "nixl_cu12" {
			t.Errorf("torch of CUDA 12 picks %q", name)
		}
	})
}

func TestPiecesElsewhere(t *testing.T) {
	dir, plugins, modules := layout(t, wheel...), t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(modules, "libuct_ib.so.0.0.0"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	w := read(instance(map[string]any{"venv": dir, "env": map[string]string{"NIXL_PLUGIN_DIR": plugins, "UCX_MODULE_DIR": modules}}))
	p, doubt := w.pieces(stagetest.Look(t, []string{"sh"}, []stage.Probe{w.piecesProbe()}))
	if doubt != nil {
		t.Fatal(doubt.Reason)
	}
	if l := p.loaded(pyenv.Torch{}); l.folder != plugins || len(l.plugins) != 0 || !slices.Equal(l.moduleNames(), []string{"ib"}) {
		t.Errorf("%+v", l)
	}
}

// A stat that fails, dies or says nothing makes no library absent.
func TestBrokenStatIsUnknown(t *testing.T) {
	for name, text := range map[string]string{"fails": "exit 1", "silent": "exit 0", "killed": "kill -9 $$", "one line": "echo 5"} {
		bin := t.TempDir()
		if err := os.WriteFile(filepath.Join(bin, "stat"), []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		w := read(instance(map[string]any{"venv": layout(t, wheel...)}))
		probe := w.piecesProbe()
		probe.Script = "PATH=" + bin + ":$PATH\n" + probe.Script
		if p, doubt := w.pieces(stagetest.Look(t, []string{"dash"}, []stage.Probe{probe})); doubt == nil {
			t.Errorf("%s: %+v", name, p)
		}
	}
}

func TestHostProbe(t *testing.T) {
	stagetest.EachShell(t, func(t *testing.T, shell []string) {
		h, unknown := hostOf(stagetest.Look(t, shell, []stage.Probe{hostProbe()}))
		want, err := os.ReadFile("/proc/sys/vm/max_map_count")
		if err != nil {
			t.Skip(err)
		}
		if unknown != nil || h.said["maps"] != strings.TrimSpace(string(want)) || h.said["kernel"] == "" {
			t.Errorf("%+v %v", h, unknown)
		}
	})
}

func TestDMABUF(t *testing.T) {
	for kernel, want := range map[string]bool{"5.12.0": true, "6.1.0-13-amd64": true, "5.4.0-200-generic": false, "": false, "x": false} {
		if got := (host{said: map[string]string{"kernel": kernel}}).dmabuf(); got != want {
			t.Errorf("%q: %v", kernel, got)
		}
	}
}

// What an earlier stage of the plan brings is no fault before it is there.
func TestPendingIsNoFault(t *testing.T) {
	w := read(instance(nil))
	none := w.missing(sight{})
	if len(none) != 1 || none[0].Summary != "No Python environment" {
		t.Fatalf("%+v", none)
	}
	in := instance(nil)
	if found := w.findings(in, sight{}, nil); len(found) != 1 {
		t.Errorf("%+v", found)
	}
	in.Pending = map[string]bool{"venv.n": true}
	if found := w.findings(in, sight{}, nil); len(found) != 0 {
		t.Errorf("%+v", found)
	}
}

func TestEnvTextIsReadBackBySystemd(t *testing.T) {
	w := wish{addr: "nixl.kv", env: map[string]string{"UCX_TLS": "^ib", "A": `a "b" \c $d` + " `e` 'f'"}}
	want := "# Written by pdprov for nixl.kv\nA=\"a \\\"b\\\" \\\\c \\$d \\`e\\` 'f'\"\nUCX_TLS=\"^ib\"\n"
	if got := string(w.envText()); got != want {
		t.Errorf("%s", got)
	}
}

func TestLeavesCUDA(t *testing.T) {
	for tls, want := range map[string]bool{
		"cuda_copy,cuda_ipc,sm,tcp,self": true, "all": true, "^ib": true, "^cuda_ipc": false, "tcp,sm,self": false,
	} {
		if leavesCUDA(tls) != want {
			t.Errorf("%s", tls)
		}
	}
}
