package dnf_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pdprov/pdprov/internal/dnf"
	"github.com/pdprov/pdprov/internal/posixsh"
	"github.com/pdprov/pdprov/stages/stagetest"
)

// functions runs text after dnf.sh has been loaded.
func functions(t *testing.T, shell []string, text string) (string, error) {
	t.Helper()
	return stagetest.Do(t, shell, dnf.Step("a step", text))
}

func TestLint(t *testing.T) {
	stagetest.Lint(t, "dnf.sh", string(dnf.Step("a step").Files[0].Data))
}

func TestLockHolderIsNamed(t *testing.T) {
	lock := filepath.Join(t.TempDir(), "metadata_lock.pid")
	stagetest.EachShell(t, func(t *testing.T, shell []string) {
		text := "lock_wait_seconds=0\ntransaction_lock=/nowhere\nlock_files=" + posixsh.Quote("/nowhere "+lock) + "\nwait_for_locks\n"
		for _, free := range []string{"", "garbage", "99999999\n"} {
			if err := os.WriteFile(lock, []byte(free), 0o600); err != nil {
				t.Fatal(err)
			}
			if out, err := functions(t, shell, text); err != nil || out != "" {
				t.Errorf("a lock that holds %q: %v %s", free, err, out)
			}
		}
		if err := os.WriteFile(lock, []byte(fmt.Sprint(os.Getpid())), 0o600); err != nil { // dnf writes no newline
			t.Fatal(err)
		}
		out, err := functions(t, shell, text)
		if err == nil || !strings.Contains(out, fmt.Sprintf("waiting: %s is held by dnf.test (process %d)", lock, os.Getpid())) {
			t.Errorf("a held lock: %v %s", err, out)
		}
	})
}

// rehearsal is in the form of dnf 4.14.
const rehearsal = `Dependencies resolved.
================================================================================
 Package                    Arch     Version              Repository       Size
================================================================================
Installing:
 kmod-nvidia-open-dkms      x86_64   3:580.95.05-1.el9    pdprov-nvidia    12 M
     replacing  old-name.x86_64 1-1
Removing:
 kmod-nvidia-latest-dkms    x86_64   3:580.95.05-1.el9    @pdprov-nvidia   40 M
Removing dependent packages:
 a-desktop                  x86_64   1-1                  @base             1 M

Transaction Summary
================================================================================
Install  1 Package
Remove   2 Packages

Operation aborted.`

func TestRemovalsAreRefused(t *testing.T) {
	stagetest.EachShell(t, func(t *testing.T, shell []string) {
		for may, want := range map[string]string{
			"kmod-nvidia-latest-dkms a-desktop old-name": "",
			"kmod-nvidia-latest-dkms a-desktop":          "dnf would also remove old-name.x86_64\n",
			"kmod-nvidia-latest-dkms old-name":           "dnf would also remove a-desktop\n",
			"":                                           "dnf would also remove old-name.x86_64, kmod-nvidia-latest-dkms, a-desktop\n",
		} {
			out, err := functions(t, shell, "rehearsal="+posixsh.Quote(rehearsal)+"\nmay_remove="+posixsh.Quote(may)+"\nrefuse_removals\n")
			if (err != nil) != (want != "") || !strings.Contains(out, want) {
				t.Errorf("%q: %v %q", may, err, out)
			}
		}
	})
}

// stub stands for a dnf that has these versions on offer, and says what it is told to do.
const stub = `
rpm() { echo 0:2-1; }
dnf() {
  case $* in
  *repoquery*tool) printf '0:1-1\n0:10-1\n0:2-1\n' ;;
  *repoquery*moved) echo 0:3-1 ;;
  *repoquery*broken) return 1 ;;
  *repoquery*) ;;
  *assumeno*) printf '%s\n' "${rehearsed-}" 'Operation aborted.' ;;
  *makecache*) return "${lists_fail:-0}" ;;
  *) echo "dnf $*" ;;
  esac
}
dnf_unlocked() { dnf "$@"; }
wait_for_locks() { :; }
`

// Packages are named with their exact versions, also where the lists could not be fetched.
func TestExactVersions(t *testing.T) {
	stagetest.EachShell(t, func(t *testing.T, shell []string) {
		for _, c := range []struct{ do, want string }{
			{"install_newest tool", "chosen: tool-0:10-1\ndnf -y --allowerasing install tool-0:10-1\n"},
			{"lists_fail=1; install_newest tool moved", "going on with those that are there\nchosen: tool-0:10-1 moved-0:3-1\ndnf -y --allowerasing install tool-0:10-1 moved-0:3-1\n"},
			{"install_newest tool gone", "dnf does not offer gone, "},
			{"install_newest broken", "dnf could not say what it offers of broken"},
			{"reinstall tool", "dnf -y --allowerasing reinstall tool-0:2-1\n"},
			{"reinstall moved", "dnf -y --allowerasing install moved-0:3-1\n"},
			{"reinstall tool moved", "dnf -y --allowerasing reinstall tool-0:2-1\nchosen: moved-0:3-1\ndnf -y --allowerasing install moved-0:3-1\n"},
			{"reinstall broken", ""},
			{"rehearsed='Removing:\n other'; reinstall tool moved", "dnf would also remove other"},
			{"rehearsed='Removing:\n other'; install_newest tool", "dnf would also remove other"},
		} {
			out, err := functions(t, shell, stub+c.do+"\n")
			if fails := !strings.Contains(c.want, "allowerasing"); (err != nil) != fails || !strings.Contains(out, c.want) || fails && strings.Contains(out, "allowerasing") {
				t.Errorf("%s: %v\n%s", c.do, err, out)
			}
		}
	})
}
