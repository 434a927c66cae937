package cuda

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pdprov/pdprov/internal/posixsh"
	"github.com/pdprov/pdprov/stages/stage"
	"github.com/pdprov/pdprov/stages/stagetest"
)

// nvcc130 is what nvcc of CUDA 13.0.2 printed.
const nvcc130 = `nvcc: NVIDIA (R) Cuda compiler driver
Copyright (c) 2005-2025 NVIDIA Corporation
Built on Wed_Aug_20_01:58:59_PM_PDT_2025
Cuda compilation tools, release 13.0, V13.0.88
Build cuda_13.0.r13.0/compiler.36424714_0`

// look asks the real question of a folder that stands for the host's root; its name is
// then taken out of the answer, in slashes so that the lengths of records stay true.
func look(t *testing.T, shell []string, root string) local {
	t.Helper()
	p := toolkitsProbe()
	p.Script = "PATH=" + posixsh.Quote(root+"/bin") + ":$PATH\n" + strings.NewReplacer("/usr/local/", root+"/usr/local/", "/etc/", root+"/etc/", "/usr/sbin/", root+"/usr/sbin/", "/var/lib/", root+"/var/lib/").Replace(p.Script)
	a := stagetest.Look(t, shell, []stage.Probe{p})[p.ID]
	l, err := parseLocal([]byte(strings.ReplaceAll(string(a.Body), root, strings.Repeat("/", len(root)))))
	if err != nil || a.Outcome != stage.Answered {
		t.Fatalf("%v %+v", err, a)
	}
	return l
}

func put(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

func nvcc(body string) string { return "#!/bin/sh\n" + body + "\n" }

// Toolkits in every state, asked under every shell: version.json is never read, a link is
// no toolkit, and only a missing nvcc is a missing toolkit.
func TestToolkits(t *testing.T) {
	stagetest.EachShell(t, func(t *testing.T, shell []string) {
		root := t.TempDir()
		at := func(name string) string { return root + "/usr/local/cuda-" + name }
		put(t, at("13.0/bin/nvcc"), nvcc("cat <<'END'\n"+nvcc130+"\nEND"), 0o755)
		put(t, at("12.9/version.json"), `{"cuda":{"version":"12.9.1"}}`, 0o644)
		put(t, at("12.8/bin/nvcc"), nvcc("kill -9 $$"), 0o755)
		put(t, at("12.6/bin/nvcc"), nvcc("echo garbage"), 0o755)
		put(t, at("12.4/bin/nvcc"), "", 0o644)
		put(t, root+"/etc/ld.so.conf.d/x.conf", "# /opt/compat\n/usr/lib\n/opt/cuda/compat # first\n", 0o644)
		put(t, root+"/bin/update-alternatives", nvcc("printf 'Name: cuda\\nLink: /usr/local/cuda\\nStatus: auto\\nBest: /usr/local/cuda-13.0\\n'"), 0o755)
		for link, target := range map[string]string{at("13"): "cuda-13.0", root + "/usr/local/cuda": "cuda-13.0", at("11.8"): "nowhere"} {
			if err := os.Symlink(target, link); err != nil {
				t.Fatal(err)
			}
		}
		l := look(t, shell, root)
		for version, want := range map[string]stage.State{
			"13.0": stage.Present, "12.9": stage.None, "12.8": stage.Unknown, "12.6": stage.Unknown, "12.4": stage.Unknown, "12.0": stage.None,
		} {
			if v := l.release(version); v.State != want || want == stage.Unknown && v.Reason == "" {
				t.Errorf("%s: %+v", version, v)
			}
		}
		if l.release("13.0").Text != "13.0" || l.toolkits["13.0"].nvcc != "13.0.88" || len(l.toolkits) != 5 {
			t.Errorf("%+v", l.toolkits)
		}
		if l.choice.Text != "auto" || len(l.compat) != 1 || !strings.HasSuffix(l.compat[0], ": /opt/cuda/compat") {
			t.Errorf("%+v %q", l.choice, l.compat)
		}
	})
}

// What update-alternatives says is believed where it says it well.
func TestChoice(t *testing.T) {
	for name, c := range map[string]struct {
		body string
		want stage.State
	}{
		"none":    {"echo 'update-alternatives: error: no alternatives for cuda' >&2; exit 2", stage.None},
		"manual":  {"echo 'Status: manual'", stage.Present},
		"odd":     {"echo 'Status: odd'", stage.Unknown},
		"fails":   {"echo 'update-alternatives: error: unable to read' >&2; exit 2", stage.Unknown},
		"silent":  {"exit 0", stage.Unknown},
		"half":    {"echo 'Status: auto'; exit 2", stage.Unknown},
		"none, 0": {"echo 'no alternatives for cuda'", stage.Unknown},
	} {
		root := t.TempDir()
		put(t, root+"/bin/update-alternatives", nvcc(c.body), 0o755)
		if v := look(t, []string{"sh"}, root).choice; v.State != c.want {
			t.Errorf("%s: %+v", name, v)
		}
	}
}

// RHEL's alternatives are not started: their books say who chose.
func TestBooks(t *testing.T) {
	const choices = "\n/usr/local/cuda\n\n/usr/local/cuda-13.0\n130\n"
	for name, c := range map[string]struct {
		file, text string
		want       stage.State
		mode       string
	}{
		"auto":    {"/var/lib/alternatives/cuda", "auto" + choices, stage.Present, "auto"},
		"manual":  {"/var/lib/alternatives/cuda", "manual" + choices, stage.Present, "manual"},
		"ostree":  {"/etc/alternatives-admindir/cuda", "manual" + choices, stage.Present, "manual"},
		"none":    {"/var/lib/alternatives/java", "auto\n", stage.None, ""},
		"empty":   {"/var/lib/alternatives/cuda", "", stage.Unknown, ""},
		"garbled": {"/var/lib/alternatives/cuda", "\x7fELF" + choices, stage.Unknown, ""},
		"folder":  {"/var/lib/alternatives/cuda/x", "", stage.Unknown, ""},
	} {
		root := t.TempDir()
		put(t, root+"/usr/sbin/alternatives", nvcc("touch "+posixsh.Quote(root+"/started")), 0o755)
		put(t, root+c.file, c.text, 0o644)
		stagetest.EachShell(t, func(t *testing.T, shell []string) {
			if v := look(t, shell, root).choice; v.State != c.want || v.Text != c.mode || v.State == stage.Unknown && v.Reason == "" {
				t.Errorf("%s: %+v", name, v)
			}
		})
		if _, err := os.Stat(root + "/started"); err == nil {
			t.Errorf("%s: alternatives was started", name)
		}
	}
}

func TestFloors(t *testing.T) {
	for _, c := range []struct {
		version string
		newest  int
		want    int
	}{{"13.0", 9000, 580}, {"13.4", 12000, 580}, {"12.8", 12000, 570}, {"12.8", 9000, 525}, {"12.0", 0, 525}, {"11.8", 0, 450}} {
		if got := floor(c.version, c.newest); got != c.want {
			t.Errorf("CUDA %s on %d: %d", c.version, c.newest, got)
		}
	}
}
