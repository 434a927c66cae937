package apt_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/pdprov/pdprov/internal/apt"
	"github.com/pdprov/pdprov/internal/posixsh"
	"github.com/pdprov/pdprov/stages/stagetest"
)

// functions runs text after apt.sh has been loaded.
func functions(t *testing.T, shell []string, text string) (string, error) {
	t.Helper()
	return stagetest.Do(t, shell, apt.Step("a step", text))
}

func TestLint(t *testing.T) {
	stagetest.Lint(t, "apt.sh", string(apt.Step("a step").Files[0].Data))
}

func TestLockHolderIsNamed(t *testing.T) {
	lock := filepath.Join(t.TempDir(), "lock")
	f, err := os.Create(lock)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	stagetest.EachShell(t, func(t *testing.T, shell []string) {
		text := "lock_wait_seconds=0\nlock_files=" + posixsh.Quote("/nowhere "+lock) + "\nwait_for_locks\n"
		if out, err := functions(t, shell, text); err != nil || out != "" {
			t.Fatalf("a free lock: %v %s", err, out)
		}
		held := syscall.Flock_t{Type: syscall.F_WRLCK}
		if err := syscall.FcntlFlock(f.Fd(), syscall.F_SETLK, &held); err != nil {
			t.Fatal(err)
		}
		out, err := functions(t, shell, text)
		if err == nil || !strings.Contains(out, fmt.Sprintf("waiting: %s is held by apt.test (process %d)", lock, os.Getpid())) {
			t.Errorf("a held lock: %v %s", err, out)
		}
		held.Type = syscall.F_UNLCK
		if err := syscall.FcntlFlock(f.Fd(), syscall.F_SETLK, &held); err != nil {
			t.Fatal(err)
		}
	})
}

// The rehearsal is what apt 2.6.1 printed for "install -s tree jq-" where yq needs jq.
const rehearsal = `Reading package lists...
The following packages will be REMOVED:
  jq yq
The following NEW packages will be installed:
  tree
0 upgraded, 1 newly installed, 2 to remove and 132 not upgraded.
Remv yq [3.1.0-3]
Remv jq [1.6-2.1+deb12u1]
Inst tree (2.1.0-1 Debian:12.15/oldstable [amd64])
Conf tree (2.1.0-1 Debian:12.15/oldstable [amd64])`

func TestSideEffectsAreRefused(t *testing.T) {
	cases := []struct{ name, mayRemove, held, mayChange, want string }{
		{"all named", "jq yq", "", "", ""},
		{"named with architecture", "jq:amd64 yq:amd64", "", "", ""},
		{"one not named", "jq", "", "", "apt would also remove yq\n"},
		{"foreign architecture named", "jq yq:i386", "", "", "apt would also remove yq\n"},
		{"held one", "jq yq", "bash tree", "", "apt would also change held tree\n"},
		{"held one, named", "jq yq", "tree", "tree", ""},
	}
	stagetest.EachShell(t, func(t *testing.T, shell []string) {
		for _, c := range cases {
			out, err := functions(t, shell, "dpkg() { echo amd64; }\n"+
				"rehearsal="+posixsh.Quote(rehearsal)+"\nmay_remove="+posixsh.Quote(c.mayRemove)+
				"\nmay_change_held="+posixsh.Quote(c.mayChange)+"\nrefuse_side_effects "+posixsh.Quote(c.held)+"\n")
			if (err != nil) != (c.want != "") || !strings.Contains(out, c.want) {
				t.Errorf("%s: %v %q", c.name, err, out)
			}
		}
	})
}

// aptCache answers as apt-cache 2.6.1 did on a host with NVIDIA's repository.
const aptCache = `#!/bin/sh
case $1:${3:-$2} in
madison:broken) exit 100 ;;
madison:tree) echo ' tree | 2.1.0-1 | http://deb.debian.org/debian bookworm/main amd64 Packages' ;;
showpkg:nvidia-kernel-580.95.05) printf '%s\n' 'Package: nvidia-kernel-580.95.05' 'Versions: ' '' 'Reverse Provides: ' 'nvidia-kernel-open-dkms 580.95.05-1 (= )' ;;
pkgnames:cuda-toolkit-) printf '%s\n' cuda-toolkit-13-0 cuda-toolkit-12-8-config-common cuda-toolkit-12-8 cuda-toolkit-config-common ;;
esac
`

func TestUnknownPackageSaysWhatThereIs(t *testing.T) {
	const head = "apt does not offer %s, also with fresh package lists\n"
	cases := []struct{ want, said string }{
		{"tree=9", "versions on offer:\n tree | 2.1.0-1 | http://deb.debian.org/debian bookworm/main amd64 Packages\n"},
		{"broken", "what there is of broken could not be asked: apt-cache madison failed\n"},
		{"nosuch", "no source of apt on this host has any version of nosuch\n"},
		{"cuda-toolkit-99-0", "no source of apt on this host has any version of cuda-toolkit-99-0\nwith other numbers there is: cuda-toolkit-12-8 cuda-toolkit-13-0\n"},
		{"nvidia-kernel-580.95.05", "no source of apt on this host has any version of nvidia-kernel-580.95.05\nit is a virtual package; name one of those that provide it:\nnvidia-kernel-open-dkms 580.95.05-1 (= )\n"},
	}
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/apt-cache", []byte(aptCache), 0o755); err != nil {
		t.Fatal(err)
	}
	stagetest.EachShell(t, func(t *testing.T, shell []string) {
		for _, c := range cases {
			out, err := functions(t, shell, "PATH="+posixsh.Quote(dir)+":$PATH\nunknown_package "+posixsh.Quote(c.want)+"\n")
			if want := fmt.Sprintf(head, c.want) + c.said; err != nil || out != want {
				t.Errorf("%s: %v\ngot  %q\nwant %q", c.want, err, out, want)
			}
		}
	})
}

// What apt 2.6.1 printed with a full /tmp.
const fullTmp = `Err:1 https://repo.example/x86_64  InRelease
  Splitting up /var/lib/apt/lists/partial/repo.example_x86%5f64_InRelease into data and signature failed
W: GPG error: https://repo.example/x86_64  InRelease: Splitting up /var/lib/apt/lists/partial/repo.example_x86%5f64_InRelease into data and signature failed
E: The repository 'https://repo.example/x86_64  InRelease' is not signed.`

func TestNoRoomIsNoMissingSignature(t *testing.T) {
	stagetest.EachShell(t, func(t *testing.T, shell []string) {
		out, err := functions(t, shell, "explain_update "+posixsh.Quote(fullTmp)+"\n")
		if err != nil || !strings.Contains(out, "Make room where df shows none") || strings.Contains(out, "not signed by the key") {
			t.Errorf("%v %s", err, out)
		}
		out, err = functions(t, shell, "explain_update \"E: The repository 'x' is not signed.\"\n")
		if err != nil || !strings.Contains(out, "not signed by the key") {
			t.Errorf("%v %s", err, out)
		}
	})
}
