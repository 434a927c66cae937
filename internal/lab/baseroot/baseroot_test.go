package baseroot

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/pdprov/pdprov/internal/lab/tree"
)

func TestMirrorsOfThisMachine(t *testing.T) {
	tests := map[string]struct {
		sources string
		want    mirrors
	}{
		"deb822": {
			"Types: deb\n# http://old.example/debian\nURIs: http://mirror.example/debian/\n\nURIs: http://mirror.example/debian-security\n",
			mirrors{"http://mirror.example/debian", "http://mirror.example/debian-security"},
		},
		"one line": {
			"deb [signed-by=/k.gpg] https://mirror.example/debian bookworm main\n",
			mirrors{main: "https://mirror.example/debian"},
		},
		"first one wins": {
			"deb http://a.example/debian bookworm main\ndeb http://b.example/debian bookworm main\n",
			mirrors{main: "http://a.example/debian"},
		},
		"other vendors": {"deb https://vendor.example/apt stable main\n", mirrors{}},
		"nothing":       {"", mirrors{}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := fromSources(test.sources); got != test.want {
				t.Errorf("got %+v, want %+v", got, test.want)
			}
		})
	}
}

func TestMirrorFromEnvironment(t *testing.T) {
	t.Setenv("PDLAB_MIRROR", "http://m.example/debian/")
	want := mirrors{"http://m.example/debian", "http://m.example/debian-security"}
	if got := findMirrors(); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestHalfBuiltRootIsNotUsed(t *testing.T) {
	root := filepath.Join(t.TempDir(), "base-1")
	if err := os.MkdirAll(root+".building/usr/lib/systemd/systemd", 0o755); err != nil {
		t.Fatal(err)
	}
	if complete(root) {
		t.Error("a root that does not exist counts as complete")
	}
	if err := tree.Remove(root + ".building"); err != nil {
		t.Fatal(err)
	}
}
