package venv

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/pdprov/pdprov/stages/stage"
	"github.com/pdprov/pdprov/stages/stagetest"
)

const hash = "--hash=sha256:8abb2f1d86890a2dfb989f9a77cfcfd3e47c2a354b01111771326f8aa26e0254"

func TestLockForms(t *testing.T) {
	for text, want := range map[string]lock{
		"a==1 " + hash: {"a": {{version: "1", marked: false}}},
		"# c\n\nZope.Interface[x,y] == 1.0+cu128 \\\r\n  " + hash + " \\\n  " + hash + "\n":  {"zope-interface": {{version: "1.0+cu128", marked: false}}},
		"a==1 ; python_version < '3.8' " + hash + "\na==2 ; python_version >= '3.8' " + hash: {"a": {{version: "1", marked: true}, {version: "2", marked: true}}},
		"--only-binary :all:\na==1 " + hash + " # why":                                       {"a": {{version: "1", marked: false}}},
	} {
		got, faults := parseLock([]byte(text))
		if len(faults) > 0 {
			t.Errorf("%q: %v", text, faults)
		}
		if d := cmp.Diff(want, got, cmp.AllowUnexported(pin{}), cmpopts.IgnoreFields(pin{}, "line")); d != "" {
			t.Errorf("%q (-want +got):\n%s", text, d)
		}
	}
}

func TestFaultsNameTheirLine(t *testing.T) {
	for text, line := range map[string]int{
		"": 1, "a==1 " + hash + "\nb==1": 2, "\n\na": 3, "a==1 \\\n\\\n--hash=md5:1": 1, "a==1.* " + hash: 1,
		"--index-url https://x\na==1 " + hash: 1, "a==1 --config-settings=x " + hash: 1, "a @ file:///x " + hash: 1,
		"a===1 " + hash: 1, "a==1,<2 " + hash: 1,
	} {
		if _, faults := parseLock([]byte(text)); len(faults) == 0 || faults[0].line != line {
			t.Errorf("%q: %v, want a fault in line %d", text, faults, line)
		}
	}
}

func FuzzLock(f *testing.F) {
	f.Add("a==1 " + hash)
	f.Fuzz(func(t *testing.T, text string) {
		l, faults := parseLock([]byte(text))
		if len(l) == 0 && len(faults) == 0 {
			t.Errorf("%q is neither good nor bad", text)
		}
	})
}

// A tool that does not work never makes an environment absent or in sync; cat is not needed.
func TestBrokenToolsGiveUnknown(t *testing.T) {
	b := newBench(t, []string{"dash"}, "pip", "app").lock("tiny==1.0")
	b.converge()
	for _, tool := range []string{"stat", "readlink", "cat", "sha256sum"} {
		for name, text := range map[string]string{"fails": "exit 1", "killed": "kill -9 $$", "garbage": "echo x", "silent": "exit 0", "status 66": "exit 66"} {
			if tool == "readlink" && name == "garbage" {
				continue // a believable answer of another environment
			}
			bin := t.TempDir()
			must(t, writeStub(bin+"/"+tool, text))
			facts := stagetest.Look(t, []string{"env", "PATH=" + bin + ":/usr/bin:/bin", "dash"}, Kind{}.Probes(b.in))
			have := Kind{}.Have(b.in, facts)
			if v := have["dist.tiny"]; tool == "cat" && v.Text != "1.0" || tool != "cat" && (v.State != stage.Unknown || v.Reason == "") {
				t.Errorf("%s %s: %+v", tool, name, v)
			}
		}
	}
}

// TestSecretIndexesStayOutOfTheScript: they travel as files, which root alone reads.
func TestSecretIndexesStayOutOfTheScript(t *testing.T) {
	in := stage.Instance{Pending: map[string]bool{"package.python": true}, Config: stage.Config{Values: map[string]any{
		"path": "/opt/x", "python": "3.12", "cuda": "cu130", "python_source": "managed",
		"index_url": "https://user:hunter2@index/simple", "torch_index_url": "https://user:hunter3@index/torch", "python_mirror": "https://user:hunter4@index/python",
	}}}
	work, _ := Kind{}.Work(in, nil, []stage.Change{{Path: "link"}})
	if len(work.Steps) != 1 {
		t.Fatalf("%+v", work)
	}
	files := map[string]string{}
	for _, f := range work.Steps[0].Files {
		files[f.Name] = string(f.Data)
	}
	for _, name := range []string{"index_url", "torch_index_url", "python_mirror"} {
		if files[name] != in.Config.Text(name) {
			t.Errorf("%s travels as %q", name, files[name])
		}
	}
	if step := work.Steps[0]; strings.Contains(step.Script+step.Title+fmt.Sprint(step.Env), "hunter") {
		t.Errorf("%+v", step)
	}
}
