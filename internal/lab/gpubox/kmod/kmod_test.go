package kmod

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestModinfoReads asks the real modinfo; without one here, the lab's hosts have it.
func TestModinfoReads(t *testing.T) {
	m := New("nvidia-uvm", "580.95.05", Open, "6.1.0-1")
	m.Signer = "Some Signer"
	path := filepath.Join(t.TempDir(), "nvidia-uvm.ko")
	if err := os.WriteFile(path, m.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := Read(path)
	want := m
	want.Name = "nvidia_uvm"
	if err != nil || got != want {
		t.Errorf("read %+v, %v; written %+v", got, err, want)
	}
	if _, err := exec.LookPath("/sbin/modinfo"); err != nil {
		return
	}
	for field, want := range map[string]string{"version": "580.95.05", "license": Open, "srcversion": m.Srcversion, "signer": m.Signer, "depends": "nvidia"} {
		out, err := exec.Command("/sbin/modinfo", "-F", field, path).CombinedOutput()
		if strings.TrimSpace(string(out)) != want || err != nil {
			t.Errorf("modinfo -F %s: %q, %v", field, out, err)
		}
	}
}
