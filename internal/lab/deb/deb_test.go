package deb

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func sample() Package {
	return Package{
		Name: "pdlab-sample", Version: "1:2.0-1", Fields: Fields{{"Depends", "libc6 (>= 2)"}},
		Files: []File{
			{Path: "/opt/sample/tool", Text: "#!/bin/sh\n", Mode: 0o755},
			{Path: "/opt/sample/link", Link: "tool"},
		},
		Scripts: map[string]string{"postinst": "exit 0\n"},
	}
}

// TestDpkgReadsPackage asks the real dpkg-deb.
func TestDpkgReadsPackage(t *testing.T) {
	file := filepath.Join(t.TempDir(), sample().FileName())
	data, err := sample().Bytes()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	for want, args := range map[string][]string{
		"1:2.0-1":                   {"--field", file, "Version"},
		"-rwxr-xr-x 0/0":            {"--contents", file},
		"./opt/sample/link -> tool": {"--contents", file},
		"libc6 (>= 2)":              {"--info", file},
		"exit 0":                    {"--info", file, "postinst"},
	} {
		out, err := exec.Command("dpkg-deb", args...).CombinedOutput()
		if err != nil || !strings.Contains(string(out), want) {
			t.Errorf("dpkg-deb %q does not say %q: %v\n%s", args, want, err, out)
		}
	}
}

// TestGpgvTakesSignatures asks the tool that apt asks.
func TestGpgvTakesSignatures(t *testing.T) {
	if _, err := exec.LookPath("gpgv"); err != nil {
		t.Skip("no gpgv here; the lab's own tests ask apt")
	}
	dir := t.TempDir()
	key, err := NewKey(time.Now().Add(-time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	if key, err = ParseKey(key.PEM()); err != nil {
		t.Fatal(err)
	}
	public, err := key.Public()
	if err != nil {
		t.Fatal(err)
	}
	ring := filepath.Join(dir, "key.gpg")
	if err := os.WriteFile(ring, public, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := (Repository{Origin: "lab", Label: "lab", Packages: []Package{sample()}}).Write(dir, key, time.Now()); err != nil {
		t.Fatal(err)
	}
	verify := func(files ...string) (string, error) {
		args := []string{"--keyring", ring}
		for _, f := range files {
			args = append(args, filepath.Join(dir, f))
		}
		out, err := exec.Command("gpgv", args...).CombinedOutput()
		return string(out), err
	}
	for _, files := range [][]string{{"InRelease"}, {"Release.gpg", "Release"}} {
		if out, err := verify(files...); err != nil || !strings.Contains(out, key.Fingerprint()) {
			t.Errorf("gpgv %q: %v\n%s", files, err, out)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "Release"), []byte("Origin: other\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := verify("Release.gpg", "Release"); err == nil {
		t.Errorf("gpgv took a changed Release file:\n%s", out)
	}
}
