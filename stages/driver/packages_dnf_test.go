package driver

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/pdprov/pdprov/internal/posixsh"
	"github.com/pdprov/pdprov/stages/stagetest"
)

// onDNF carries out a step where rpm knows these packages, "NAME VERSION", and dnf prints
// what changes version locks.
func onDNF(t *testing.T, shell []string, record string, packages []string, lines ...string) (string, error) {
	t.Helper()
	head := []string{
		"packages=" + posixsh.Quote(strings.Join(packages, "\n")), "driver_holds=" + posixsh.Quote(record),
		`rpm() {
  shift 3
  printf '%s\n' "$packages" | while read -r name version; do
    for pattern do
      case $name in $pattern) echo "$name $version"; break ;; esac
    done
  done
}
dnf() { case "$*" in *' list') ;; *) echo "dnf $*" ;; esac; }`,
	}
	return stagetest.Do(t, shell, withDNF{}.step("a step", append(head, lines...)...))
}

func TestBelongsWithDNF(t *testing.T) {
	packages := []string{
		"cuda-drivers 580.95.05", "kmod-nvidia-open-dkms 580.95.05", "libnvidia-ml 580.95.05", "nvidia-driver 580.95.05",
		"nvidia-driver-cuda-libs 580.95.05", "nvidia-fabric-manager 580.95.05", "nvidia-kmod-common 580.95.05",
		"nvidia-modprobe 580.95.05", "nvidia-open 580.95.05", "nvidia-persistenced 580.95.05",
	}
	others := []string{"libnvidia-container1 580.95.05", "nvidia-container-toolkit 580.95.05", "nvidia-ourtool 100.2", "nvidia-driver-assistant 0.22.1"}
	for i, p := range append(packages, others...) {
		name, version, _ := strings.Cut(p, " ")
		if belongs(dnfNames, name, version) != (i < len(packages)) {
			t.Errorf("%s: wrongly judged", p)
		}
	}
	stagetest.EachShell(t, func(t *testing.T, shell []string) {
		out, err := onDNF(t, shell, "", append(others, packages...), "driver_rows")
		if err != nil || out != strings.Join(packages, "\n")+"\n" {
			t.Errorf("%v %s", err, out)
		}
	})
}

func TestOwnLocksAreReleased(t *testing.T) {
	packages := []string{"nvidia-driver-cuda 580.95.05", "nvidia-modprobe 580.95.05", "nvidia-settings 570.86.15", "nvidia-ourtool 100.2"}
	stagetest.EachShell(t, func(t *testing.T, shell []string) {
		record := filepath.Join(t.TempDir(), "driver-holds")
		for _, c := range []struct{ do, said string }{
			{"release_holds", ""},
			{"hold_driver", "dnf -y versionlock add nvidia-driver-cuda nvidia-modprobe\n"},
			{"release_holds", "dnf -q versionlock delete nvidia-driver-cuda\ndnf -q versionlock delete nvidia-modprobe\n"},
			{"release_holds", ""},
			{"hold_driver nvidia-modprobe", "dnf -y versionlock add nvidia-driver-cuda\n"},
			{"release_holds", "dnf -q versionlock delete nvidia-driver-cuda\n"},
		} {
			if out, err := onDNF(t, shell, record, packages, c.do); err != nil || out != c.said {
				t.Errorf("%s: %v\n%s", c.do, err, out)
			}
		}
	})
}
