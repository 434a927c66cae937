package lab

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pdprov/pdprov/internal/lab/wire"
)

func TestClaimKeepsWhatIsNotALab(t *testing.T) {
	dir := t.TempDir()
	mine := filepath.Join(dir, "mine")
	if err := os.WriteFile(mine, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := claim(dir); err == nil || !strings.Contains(err.Error(), "not a lab (it holds mine)") {
		t.Errorf("claiming a folder with files in it: %v", err)
	}
	if _, err := os.Stat(mine); err != nil {
		t.Error(err)
	}
	for _, dir := range []string{"/", "/run", "/run/pdlab"} {
		if _, err := claim(dir); err == nil {
			t.Errorf("claimed %s", dir)
		}
	}
}

func TestClaimIsForOne(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "lab")
	held, err := claim(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := claim(dir); err == nil || !strings.Contains(err.Error(), "already up") {
		t.Errorf("claimed twice: %v", err)
	}
	held.Close()
	if err := os.WriteFile(filepath.Join(dir, wire.Identity), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	held, err = claim(dir)
	if err != nil {
		t.Fatalf("claiming the folder of a dead lab: %v", err)
	}
	held.Close()
	if _, err := os.Stat(filepath.Join(dir, wire.Identity)); !os.IsNotExist(err) {
		t.Errorf("a file of the dead lab is still there (%v)", err)
	}
}

// The folder may be reached through a link; its own path is what mounts show.
func TestRealPath(t *testing.T) {
	dir := t.TempDir()
	if err := os.Symlink(dir, filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	got, err := realPath(filepath.Join(dir, "link", "a", "b"))
	want, _ := filepath.EvalSymlinks(dir)
	if err != nil || got != filepath.Join(want, "a", "b") {
		t.Errorf("%q, %v", got, err)
	}
}
