package tree

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestBelow(t *testing.T) {
	const mountinfo = `29 1 254:0 / / rw,relatime - ext4 /dev/vda rw
40 29 0:30 / /var/a\040b rw - tmpfs tmpfs rw
41 40 0:31 / /var/a\040b/c rw - tmpfs tmpfs rw
42 29 0:32 / /var/a rw - tmpfs tmpfs rw
`
	if got, want := below(mountinfo, "/var/a b"), []string{"/var/a b", "/var/a b/c"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// The mount is made in a mount namespace of its own, in which this test runs again.
func TestRemoveRefusesMounts(t *testing.T) {
	dir := os.Getenv("PDLAB_TEST_MOUNTED")
	if dir != "" {
		err := Remove(dir)
		if err == nil || !strings.Contains(err.Error(), "is mounted") {
			t.Fatalf("Remove below a mount: %v", err)
		}
		if _, err := os.Stat(filepath.Join(dir, "kept")); err != nil {
			t.Fatal("a file beside the mount was removed")
		}
		return
	}
	if os.Geteuid() != 0 {
		t.Skip("mounting needs root")
	}
	dir = t.TempDir()
	if err := errors.Join(os.Mkdir(filepath.Join(dir, "m"), 0o755), os.WriteFile(filepath.Join(dir, "kept"), nil, 0o644)); err != nil {
		t.Fatal(err)
	}
	inside := exec.Command("unshare", "--mount", "/bin/sh", "-c",
		`mount -t tmpfs none "$1/m" && PDLAB_TEST_MOUNTED=$1 "$2" -test.run=TestRemoveRefusesMounts`, "sh", dir, os.Args[0])
	if out, err := inside.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if err := Remove(dir); err != nil {
		t.Fatalf("without the mount: %v", err)
	}
}
