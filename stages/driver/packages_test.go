package driver

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pdprov/pdprov/internal/apt"
	"github.com/pdprov/pdprov/internal/posixsh"
	"github.com/pdprov/pdprov/stages/stage"
	"github.com/pdprov/pdprov/stages/stagetest"
)

// installed is "NAME VERSION" of packages on the host of the tests.
var installed = []string{
	"libcuda1 570.86.15-1",
	"nvidia-kernel-dkms 570.86.15-1",
	"nvidia-driver-cuda 570.86.15-1",
	"nvidia-driver-pinning-570.86.15 570.86.15-1",
	"nvidia-ourtool 100.2",
	"libnvidia-container1 100.2-1",
	"nvidia-container-toolkit 580.95.05-1",
}

// aptHost is a folder with dpkg's own reading of a database, and with tools that stand for
// apt's: apt-get rehearses what apt-get.rehearsal says and writes down what it is told.
type aptHost struct{ dir string }

func newAptHost(t *testing.T, packages []string) aptHost {
	t.Helper()
	if _, err := exec.LookPath("dpkg-query"); err != nil {
		t.Skip("dpkg-query is not installed")
	}
	h := aptHost{t.TempDir()}
	var status strings.Builder
	for _, p := range packages {
		name, version, _ := strings.Cut(p, " ")
		name, arch, foreign := strings.Cut(name, ":")
		if !foreign {
			arch = "amd64"
		}
		status.WriteString("Package: " + name + "\nStatus: install ok installed\nMaintainer: x\nMulti-Arch: same\nArchitecture: " + arch + "\nVersion: " + version + "\nDescription: x\n\n")
	}
	h.write(t, "status", status.String())
	h.write(t, "available", "")
	h.write(t, "apt-get.rehearsal", "")
	for name, text := range map[string]string{
		"apt-get":   "case \" $* \" in\n*' update '*) ;;\n*' -s '*) cat \"$0.rehearsal\" ;;\n*) echo \"$*\" >>\"$0.log\"; cp -- \"$PDPROV_FILES/preferences\" \"$0.preferences\" ;;\nesac",
		"apt-cache": "case $3 in\nnvidia-driver-cuda | nvidia-kernel-open-dkms | libcuda1 | libcuda1:i386 | nvidia-ourtool | nvidia-persistenced | nvidia-driver-pinning-*) echo \"$3 | 580.95.05-1 | http://x\" ;;\nesac",
		"apt-mark":  "case $1 in\nshowhold) cat \"$0.held\" 2>/dev/null || : ;;\n*) echo \"$*\" </dev/null >>\"$0.log\" ;;\nesac",
	} {
		h.write(t, name, "#!/bin/sh\n"+text+"\n")
	}
	return h
}

func (h aptHost) write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(h.dir, name), []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
}

// read is the text of a file, "" where there is none.
func (h aptHost) read(name string) string {
	text, _ := os.ReadFile(filepath.Join(h.dir, name))
	return string(text)
}

// do carries out a step with the lines.
func (h aptHost) do(t *testing.T, shell []string, lines ...string) (string, error) {
	t.Helper()
	head := []string{
		"PATH=" + posixsh.Quote(h.dir) + ":$PATH", "export DPKG_ADMINDIR=" + posixsh.Quote(h.dir), "lock_files=''",
		`dpkg() { [ "$1" = --print-architecture ] && echo amd64; }`, // busybox would take its own
		"driver_holds=" + posixsh.Quote(filepath.Join(h.dir, "pdprov", holdsFile)),
		"driver_pinning=" + posixsh.Quote(filepath.Join(h.dir, "pdprov", pinningFile)),
		"preferences=" + posixsh.Quote(filepath.Join(h.dir, "apt.preferences")),
	}
	return stagetest.Do(t, shell, withApt{}.step("a step", append(head, lines...)...))
}

const install = "install_driver 580.95.05 'nvidia-driver-cuda nvidia-kernel-open-dkms'"

func TestOnlyTheDriverIsRemoved(t *testing.T) {
	stagetest.EachShell(t, func(t *testing.T, shell []string) {
		for removed, wanted := range map[string]string{
			"nvidia-kernel-dkms":       "",
			"nvidia-ourtool":           "apt would also remove nvidia-ourtool\n",
			"nvidia-container-toolkit": "apt would also remove nvidia-container-toolkit\n",
			"libnvidia-container1":     "apt would also remove libnvidia-container1\n",
		} {
			h := newAptHost(t, installed)
			h.write(t, "apt-get.rehearsal", "Remv "+removed+" [1]\nInst nvidia-driver-cuda (580.95.05-1 x [amd64])\n")
			out, err := h.do(t, shell, install)
			log := h.read("apt-get.log")
			if wanted != "" && (err == nil || !strings.Contains(out, wanted) || log != "") {
				t.Errorf("%s goes: %v\n%s\ndone: %s", removed, err, out, log)
			}
			if wanted == "" && (err != nil || !strings.Contains(log, " nvidia-kernel-open-dkms=580.95.05-1 libcuda1=580.95.05-1\n")) {
				t.Errorf("%s goes: %v\n%s\ndone: %s", removed, err, out, log)
			}
		}
	})
}

func TestPreferencesWithoutTheirLastNewline(t *testing.T) {
	stagetest.EachShell(t, func(t *testing.T, shell []string) {
		h := newAptHost(t, installed)
		h.write(t, "apt.preferences", "Package: bash\nPin: version 5.*\nPin-Priority: 900")
		if out, err := h.do(t, shell, install); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if text := h.read("apt-get.preferences"); !strings.HasPrefix(text, "Package: bash\nPin: version 5.*\nPin-Priority: 900\n\nPackage: cuda-drivers* ") {
			t.Errorf("%s", text)
		}
	})
}

// TestForeignArchitecture: a held library for i386 gets the version of the others.
func TestForeignArchitecture(t *testing.T) {
	packages := []string{"libcuda1 570.86.15-1", "libcuda1:i386 570.86.15-1", "nvidia-driver-cuda 570.86.15-1"}
	stagetest.EachShell(t, func(t *testing.T, shell []string) {
		h := newAptHost(t, packages)
		h.write(t, "apt-mark.held", "libcuda1\nlibcuda1:i386\n")
		h.write(t, "apt-get.rehearsal", "Remv libnvidia-ml1:i386 [1]\nInst libcuda1:i386 (580.95.05-1 x [i386])\n")
		if out, err := h.do(t, shell, install); err == nil || !strings.Contains(out, "apt would also remove libnvidia-ml1:i386\n") {
			t.Errorf("%v\n%s", err, out)
		}
		h.write(t, "apt-get.rehearsal", "Inst libcuda1:i386 (580.95.05-1 x [i386])\nInst libcuda1 (580.95.05-1 x [amd64])\n")
		out, err := h.do(t, shell, install)
		if log := h.read("apt-get.log"); err != nil || !strings.Contains(log, "--allow-change-held-packages -- nvidia-driver-cuda=580.95.05-1 nvidia-kernel-open-dkms=580.95.05-1 libcuda1=580.95.05-1 libcuda1:i386=580.95.05-1\n") {
			t.Errorf("%v\n%s\ndone: %s", err, out, log)
		}
	})
}

// TestBelongs also holds the shell's judgement against this one's.
func TestBelongs(t *testing.T) {
	packages := []string{
		"cuda-drivers-580 580.95.05-1", "libcuda1 580.95.05-1", "libnvidia-compute-580 580.95.05-0ubuntu1",
		"linux-modules-nvidia-580-open-generic 6.8.0-79.79+1", "nvidia-dkms-580-open 580.95.05-1",
		"nvidia-fabricmanager-580 580.95.05-1", "nvidia-headless-580-open 580.95.05-1",
		"nvidia-kernel-open-dkms 580.95.05-1", "nvidia-modprobe 535.161.07-1", "nvidia-open-580 580.95.05-1",
		"nvidia-persistenced 580.95.05-1", "nvidia-utils-580 580.95.05-1", "xserver-xorg-video-nvidia-580 580.95.05-1",
	}
	others := []string{
		"libnvidia-container1 1.17.8-1", "libnvidia-container-tools 580.95.05-1", "libnvidia-egl-wayland1 1:1.1.10-1",
		"nsight-systems 580.1-1", "nvidia-container-toolkit 580.95.05-1", "nvidia-cuda-toolkit 580.1-1",
		"nvidia-driver-pinning-580.95.05 580.95.05-1", "nvidia-ourtool 100.2", "nvidia-openshift 100.2",
	}
	for i, p := range append(packages, others...) {
		name, version, _ := strings.Cut(p, " ")
		if belongs(aptNames, name, version) != (i < len(packages)) {
			t.Errorf("%s: wrongly judged", p)
		}
	}
	stagetest.EachShell(t, func(t *testing.T, shell []string) {
		out, err := newAptHost(t, append(others, packages...)).do(t, shell, "driver_packages")
		if err != nil || len(strings.Fields(out)) != len(packages) {
			t.Fatalf("%v %s", err, out)
		}
		for _, p := range packages {
			if name, _, _ := strings.Cut(p, " "); !strings.Contains("\n"+out, "\n"+name+"\n") {
				t.Errorf("%s is missing:\n%s", name, out)
			}
		}
	})
}

func partOf(name, version, held, by string) part {
	v := stage.Is(version)
	v.By = by
	return part{Name: name, Version: v, State: stage.Is(apt.Installed), Held: stage.Is(held)}
}

func TestVersionNamesWhatDeviates(t *testing.T) {
	s := set{packages: []part{
		partOf("libcuda1", "580.95.05-1", "yes", "pdprov"),
		partOf("libnvidia-ml1", "595.58.03-1", "yes", "apt-get upgrade (alice)"),
		partOf("nvidia-modprobe", "570.86.15-1", "no", "apt-get install x (bob)"),
		partOf("nvidia-fabricmanager", "570.86.15-1", "yes", "apt-get install x (bob)"),
	}}
	for target, want := range map[string]string{
		"580.95.05": "apt-get upgrade (alice): libnvidia-ml1",
		"595.58.03": "pdprov: libcuda1",
	} {
		if v := s.version(target); v.Text != "580.95.05 and 595.58.03" || v.By != want {
			t.Errorf("%s: %s by %q", target, v, v.By)
		}
	}
	s.packages = s.packages[1:]
	if v := s.version("580.95.05"); v.Text != "595.58.03" || v.By != "apt-get upgrade (alice)" {
		t.Errorf("one version: %s by %q", v, v.By)
	}
}

// TestPackagesToHold asks both what the plan compares and what the step does. Ubuntu leaves
// the firmware of an earlier driver there, and Steam brings libraries for i386.
func TestPackagesToHold(t *testing.T) {
	packages := []string{
		"linux-modules-nvidia-580-open-generic 6.8.0-79.79+1", "libnvidia-ml1:i386 580.95.05-1", "nvidia-settings:i386 535.171.04-1",
		"libcuda1 580.95.05-1", "nvidia-driver-cuda 580.95.05-1", "nvidia-fabricmanager 535.161.07-1",
		"nvidia-firmware-580-580.126.09 580.126.09-1", "nvidia-firmware-580-580.95.05 580.95.05-1", "nvidia-modprobe 535.161.07-1",
		"nvidia-persistenced 580.95.05-1", "nvidia-settings 535.171.04-1",
	}
	const want = "libcuda1 libnvidia-ml1:i386 linux-modules-nvidia-580-open-generic nvidia-driver-cuda nvidia-fabricmanager nvidia-firmware-580-580.95.05 nvidia-persistenced"
	var s set
	for _, p := range packages {
		name, version, _ := strings.Cut(p, " ")
		held := "no"
		if slices.Contains(strings.Fields(want), name) {
			held = "yes"
		}
		s.packages = append(s.packages, partOf(name, version, held, ""))
	}
	if v := s.version("580.95.05"); v.Text != "580.95.05" {
		t.Errorf("version: %s", v)
	}
	if v := s.held(); v.Text != "all" {
		t.Errorf("held: %s", v)
	}
	stagetest.EachShell(t, func(t *testing.T, shell []string) {
		h := newAptHost(t, packages)
		out, err := h.do(t, shell, "hold_driver")
		if log := h.read("apt-mark.log"); err != nil || log != "hold "+want+"\n" {
			t.Errorf("%v %s\ndone: %s", err, out, log)
		}
	})
}

// TestOnlyOwnHoldsAreReleased: libcuda1 was held by somebody before pdprov held the rest,
// nvidia-settings is held by somebody since, libnvidia-ml1 was released by hand.
func TestOnlyOwnHoldsAreReleased(t *testing.T) {
	packages := []string{"libcuda1 580.95.05-1", "libnvidia-ml1 580.95.05-1", "nvidia-driver-cuda 580.95.05-1"}
	stagetest.EachShell(t, func(t *testing.T, shell []string) {
		h := newAptHost(t, packages)
		for _, c := range []struct{ held, do, log, recorded string }{
			{"", "release_holds", "", ""},
			{"libcuda1\n", "hold_driver", "hold libcuda1 libnvidia-ml1 nvidia-driver-cuda\n", "libnvidia-ml1\nnvidia-driver-cuda\n"},
			{"libcuda1\nlibnvidia-ml1\nnvidia-driver-cuda\n", "hold_driver", "hold libcuda1 libnvidia-ml1 nvidia-driver-cuda\n", "libnvidia-ml1\nnvidia-driver-cuda\n"},
			{"libcuda1\nnvidia-driver-cuda\nnvidia-settings\n", "release_holds", "unhold nvidia-driver-cuda\n", ""},
		} {
			h.write(t, "apt-mark.held", c.held)
			h.write(t, "apt-mark.log", "")
			out, err := h.do(t, shell, c.do)
			if log, recorded := h.read("apt-mark.log"), h.read("pdprov/driver-holds"); err != nil || log != c.log || recorded != c.recorded {
				t.Errorf("%s: %v %s\ndone: %s\nrecorded: %s", c.do, err, out, log, recorded)
			}
		}
	})
}

// TestOnlyOwnPinningsAreRemoved: the package of branch 570 was installed by somebody.
func TestOnlyOwnPinningsAreRemoved(t *testing.T) {
	const dpkg = `dpkg() { [ "$1" = --purge ] && echo "purged $3" || echo amd64; }`
	stagetest.EachShell(t, func(t *testing.T, shell []string) {
		h := newAptHost(t, nil)
		for _, c := range []struct{ do, said, recorded string }{
			{"release_pinnings", "", ""},
			{"pin_branch nvidia-driver-pinning-570 nvidia-driver-pinning-570", "", ""},
			{"pin_branch nvidia-driver-pinning-580 nvidia-driver-pinning-570", "", "nvidia-driver-pinning-580\n"},
			{"pin_branch nvidia-driver-pinning-590 nvidia-driver-pinning-580", "purged nvidia-driver-pinning-580\n", "nvidia-driver-pinning-590\n"},
			{"pin_branch nvidia-driver-pinning-590 nvidia-driver-pinning-590", "", "nvidia-driver-pinning-590\n"},
			{"release_pinnings", "purged nvidia-driver-pinning-590\n", ""},
			{"release_pinnings", "", ""},
		} {
			out, err := h.do(t, shell, dpkg, "touch \"$PDPROV_FILES/preferences\"", c.do)
			if recorded := h.read("pdprov/driver-pinning"); err != nil || out != c.said || recorded != c.recorded {
				t.Errorf("%s: %v %s\nrecorded: %s", c.do, err, out, recorded)
			}
		}
		if log := h.read("apt-get.log"); strings.Count(log, "install") != 4 || !strings.Contains(log, "-- nvidia-driver-pinning-580\n") {
			t.Errorf("installed: %s", log)
		}
	})
}

func TestOwnPinningsAreTold(t *testing.T) {
	h := host{set: set{pinnings: []string{"nvidia-driver-pinning-570", "nvidia-driver-pinning-580"}}}
	answer := func(text string) stage.Facts {
		return stage.Facts{holdsID: {Outcome: stage.Answered, Body: fmt.Appendf(nil, "driver-pinning %d:%s\nend 0:\n", len(text), text)}}
	}
	for name, c := range map[string]struct {
		wanted string
		facts  stage.Facts
		want   string
	}{
		"both":     {"", answer("nvidia-driver-pinning-580\nnvidia-driver-pinning-570"), "by pdprov: nvidia-driver-pinning-570, nvidia-driver-pinning-580"},
		"one":      {"", answer("nvidia-driver-pinning-580"), "by pdprov: nvidia-driver-pinning-580"},
		"wanted":   {"nvidia-driver-pinning-580", answer("nvidia-driver-pinning-580"), ""},
		"nobody's": {"", stage.Facts{holdsID: {Outcome: stage.Absent}}, ""},
	} {
		if v := h.ownPinnings(c.wanted, c.facts); v.State == stage.Unknown || v.Text != c.want {
			t.Errorf("%s: %s", name, v)
		}
	}
	if v := h.ownPinnings("", stage.Facts{}); v.State != stage.Unknown || v.Probe != holdsID {
		t.Errorf("not asked: %s", v)
	}
	h.set.pinnings = nil
	if v := h.ownPinnings("", stage.Facts{}); v.State != stage.None {
		t.Errorf("none there: %s", v)
	}
}

func TestOwnHoldsAreReadBack(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "pdprov")
	h := host{set: set{packages: []part{partOf("libcuda1", "580.95.05-1", "yes", ""), partOf("nvidia-driver-cuda", "580.95.05-1", "yes", ""), partOf("nvidia-modprobe", "580.95.05-1", "no", "")}}}
	p := holdsProbe()
	p.Script = strings.ReplaceAll(p.Script, recordDir, dir)
	stagetest.EachShell(t, func(t *testing.T, shell []string) {
		if v := h.ownHolds(stagetest.Look(t, shell, []stage.Probe{p})); v.State != stage.None {
			t.Errorf("nothing recorded: %s", v)
		}
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		if err := os.WriteFile(filepath.Join(dir, holdsFile), []byte("nvidia-modprobe\nnvidia-driver-cuda\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if v := h.ownHolds(stagetest.Look(t, shell, []stage.Probe{p})); v.Text != "by pdprov: nvidia-driver-cuda" {
			t.Errorf("recorded: %s", v)
		}
	})
	if v := h.ownHolds(stage.Facts{holdsID: {Outcome: stage.Answered, Body: []byte("names 5:libcu\n")}}); v.State != stage.Unknown || v.Probe != holdsID {
		t.Errorf("cut off: %s", v)
	}
}
