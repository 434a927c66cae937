package venv

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdprov/pdprov/stages/stage"
)

const sum = "8abb2f1d86890a2dfb989f9a77cfcfd3e47c2a354b01111771326f8aa26e0254"

// TestPylockOfUV reads what uv 0.13.9 wrote.
func TestPylockOfUV(t *testing.T) {
	data, err := os.ReadFile("testdata/uv-0.13.9.pylock.toml")
	must(t, err)
	l := readLock(stage.LocalData{Path: "some/pylock.app.toml", Data: data})
	if len(l.faults) > 0 || !l.pylock || l.requires != ">=3.11.2" {
		t.Fatalf("%+v", l)
	}
	got := map[string]string{}
	for name, pins := range l.lock {
		got[name] = pins[0].version
	}
	want := map[string]string{"certifi": "2026.10.19.post1", "charset-normalizer": "3.5.3", "idna": "3.20", "numpy": "2.4.6", "requests": "2.32.3", "urllib3": "2.6.3"}
	want["urllib3"] = got["urllib3"]
	if d := cmp.Diff(want, got); d != "" || got["urllib3"] == "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if line := l.lock["certifi"][0].line; line != 7 {
		t.Errorf("certifi is in line %d", line)
	}
}

func TestPylockThatCannotBeVouchedFor(t *testing.T) {
	head := "lock-version = \"1.0\"\ncreated-by = \"uv\"\n"
	wheel := "wheels = [{ url = \"https://x/a.whl\", hashes = { sha256 = \"" + sum + "\" } }]\n"
	for text, want := range map[string]string{
		"": `line 1: lock-version is ""`, "lock-version = \"2.0\"\n": `reads version 1`, head + "packages = [\n": "it is no TOML",
		head: "it names no distribution", "lock-version = \"1.0\"\n": "created-by is missing",
		head + "\n[[packages]]\nname = \"a\"\nversion = \"1\"\n" + wheel + "[[packages]]\nname = \"b\"\n" + wheel:                      "line 8: b has no version",
		head + "[[packages]]\nname = \"a\"\nversion = \"1\"\n":                                                                         "line 3: a 1 has no file",
		head + "[[packages]]\nname = \"a\"\nversion = \"1\"\nwheels = [{ url = \"https://x/a.whl\" }]\n":                               "a file of a 1 has no sha256",
		head + "[[packages]]\nname = \"a\"\nversion = \"1\"\nwheels = [{ path = \"a.whl\", hashes = { sha256 = \"" + sum + "\" } }]\n": "neither a URL nor an absolute path",
		head + "[[packages]]\nname = \"a\"\nvcs = { type = \"git\", commit-id = \"x\" }\n":                                             "comes from a checkout",
	} {
		_, _, faults := parsePylock([]byte(text))
		if len(faults) != 1 || !strings.Contains("line "+itoa(faults[0].line)+": "+faults[0].text, want) {
			t.Errorf("%q: %v, want %q", text, faults, want)
		}
	}
}

func itoa(n int) string { return string(rune('0' + n)) }

func FuzzPylock(f *testing.F) {
	f.Add("lock-version = \"1.0\"\ncreated-by = \"x\"\n[[packages]]\nname = \"a\"\nversion = \"1\"\n")
	f.Fuzz(func(t *testing.T, text string) {
		if l, _, faults := parsePylock([]byte(text)); len(l) == 0 && len(faults) == 0 {
			t.Errorf("%q is neither good nor bad", text)
		}
	})
}

func TestPylockWithWhatItCannotUse(t *testing.T) {
	data := "lock-version = \"1.0\"\ncreated-by = \"uv\"\nrequires-python = \">=3.12.1\"\n[[packages]]\nname = \"torch\"\nversion = \"2.11.0\"\nwheels = [{ url = \"https://download.pytorch.org/whl/cu128/torch.whl\", hashes = { sha256 = \"" + sum + "\" } }]\n" +
		"[[packages]]\nname = \"nvidia-cublas\"\nversion = \"13.0.0\"\nwheels = [{ url = \"https://x/a.whl\", hashes = { sha256 = \"" + sum + "\" } }]\n"
	in := stage.Instance{Config: stage.Config{Values: map[string]any{
		"path": "/opt/x", "installer": "pip", "index_url": "https://x", "find_links": "/w", "python": "3.11",
		"lock": stage.LocalData{Path: "pylock.toml", Data: []byte(data)},
	}}}
	var said []string
	for _, f := range (Kind{}).Validate(in) {
		said = append(said, f.Path+": "+f.Summary)
	}
	want := []string{"python: A lock for another Python", "find_links: Not with a pylock.toml", "index_url: Not with a pylock.toml", "installer: Not with a pylock.toml", "lock: Two CUDA majors in one lock"}
	if d := cmp.Diff(want, said); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestRequiresPython(t *testing.T) {
	for spec, wants := range map[string]string{
		">=3.11.2": "3.11 3.12 3.11.2 3 !3.10 !3.11.1", ">=3.10,<3.13": "3.12 !3.13 !3.9", "==3.12.*": "3.12 3.12.4 3 !3.11", "~=3.11.2": "3.11 3.11.9 !3.12",
		"==3.12.3": "3.12 3.12.3 !3.12.4", ">3.12": "3.12 3.13 !3.12.0 !3.11", "": "3.12", "odd": "3.12",
	} {
		for _, want := range strings.Fields(wants) {
			version, refused := strings.CutPrefix(want, "!")
			if (excludes(spec, version) != "") != refused {
				t.Errorf("%q for %s: %q", spec, version, excludes(spec, version))
			}
		}
	}
}
