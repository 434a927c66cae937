package lab

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Require skips a test on a machine that cannot have a lab and says why. With
// PDPROV_REQUIRE_LAB=1 such a machine fails the test.
func Require(t testing.TB) {
	t.Helper()
	require(t, Missing())
}

// RequireVM is Require for a lab with a virtual machine.
func RequireVM(t testing.TB) {
	t.Helper()
	require(t, MissingVM())
}

func require(t testing.TB, err error) {
	t.Helper()
	if err == nil {
		return
	}
	if os.Getenv("PDPROV_REQUIRE_LAB") == "1" {
		t.Fatalf("PDPROV_REQUIRE_LAB=1, but: %v", err)
	}
	t.Skipf("no lab here: %v", err)
}

// testDirs holds the folders of test labs; t.TempDir would be removed while a lab that
// failed to end still has mounts there.
const testDirs = "/var/tmp"

// clearDead removes what test labs left whose starter was killed before they were up.
func clearDead() {
	dirs, _ := filepath.Glob(filepath.Join(testDirs, "pdlab-test-*"))
	for _, dir := range dirs {
		_ = Clear(dir) // an error says that it is alive
	}
}

// ForTest gives a test a lab of its own, of the first profile, that ends with the test,
// or with the test binary if that is sooner.
func ForTest(t testing.TB, hosts int) *Lab {
	t.Helper()
	return ForTestOf(t, "", hosts)
}

// ForTestOf is ForTest with hosts of another profile.
func ForTestOf(t testing.TB, profile string, hosts int) *Lab {
	t.Helper()
	Require(t)
	clearDead()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute) // the base root may have to be built
	defer cancel()
	dir, err := os.MkdirTemp(testDirs, "pdlab-test-")
	if err != nil {
		t.Fatal(err)
	}
	l, err := Up(ctx, Options{Dir: dir, Hosts: hosts, Profile: profile, Log: t.Output()})
	if err != nil {
		os.Remove(dir)
		t.Fatalf("starting a lab: %v", err)
	}
	t.Cleanup(func() {
		if err := l.Down(); err != nil {
			t.Errorf("ending the lab: %v", err)
		}
	})
	return l
}
