package gpubox_test

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/pdprov/pdprov/internal/lab"
)

// box is a host of a GPU profile under test.
type box struct {
	*testing.T
	lab  *lab.Lab
	host *lab.Host
}

func up(t *testing.T, profile string) box {
	l := lab.ForTestOf(t, profile, 1)
	return box{t, l, l.Host("h1")}
}

func (b box) in(t *testing.T) box { return box{t, b.lab, b.host} }

// sh runs text in the host and returns all its output and its exit status.
func (b box) sh(text string) (string, int) {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.Context(), 2*time.Minute)
	defer cancel()
	words, err := b.host.ExecArgs("/bin/sh", "-c", "export DEBIAN_FRONTEND=noninteractive\n"+text)
	if err != nil {
		b.Fatal(err)
	}
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	if err != nil && cmd.ProcessState == nil {
		b.Fatal(err)
	}
	return strings.TrimSpace(string(out)), cmd.ProcessState.ExitCode()
}

// must is sh for what must end with status 0.
func (b box) must(text string) string {
	b.Helper()
	out, status := b.sh(text)
	if status != 0 {
		b.Fatalf("%s\nended with status %d:\n%s", text, status, out)
	}
	return out
}

// says checks a command's status, and that its output has a text; "" is any.
func (b box) says(command string, status int, want string) {
	b.Helper()
	out, got := b.sh(command)
	if got != status || !strings.Contains(out, want) {
		b.Errorf("%s\nended with status %d, not %d, or does not say %q:\n%s", command, got, status, want, out)
	}
}

func (b box) set(name, value string) {
	b.Helper()
	if err := b.host.Set(name, value); err != nil {
		b.Fatal(err)
	}
}

func (b box) reboot() {
	b.Helper()
	if err := b.host.Reboot(); err != nil {
		b.Fatal(err)
	}
}

// addSource does what a person does: the key by its address, then the source.
func (b box) addSource() {
	b.Helper()
	source, err := b.lab.Repository()
	if err != nil {
		b.Fatal(err)
	}
	b.must("curl -fsS -o /usr/share/keyrings/nvidia.asc " + source.KeyURL + "\n" +
		"echo 'deb [signed-by=/usr/share/keyrings/nvidia.asc] " + source.URL + " /' > /etc/apt/sources.list.d/cuda.list\n" +
		offline + "apt-get update")
}

// offline leaves only the lab's own sources: a test needs no archive beyond it.
const offline = "rm -f /etc/apt/sources.list\n"

// installDriver makes a bare box a working one.
func (b box) installDriver(version string) {
	b.Helper()
	b.addSource()
	b.must("apt-get install -y linux-headers-$(uname -r) " + exactly(version))
	b.must("echo 'blacklist nouveau' > /etc/modprobe.d/nouveau.conf && update-initramfs -u")
	b.reboot()
}

// exactly names every part of a driver: a metapackage does not pin its parts.
func exactly(version string) string {
	var words []string
	for _, name := range []string{
		"nvidia-open", "nvidia-driver", "nvidia-driver-cuda", "nvidia-driver-libs", "libnvidia-ml1", "libcuda1",
		"nvidia-kernel-open-dkms", "nvidia-kernel-support", "nvidia-modprobe", "nvidia-persistenced",
	} {
		words = append(words, name+"="+version+"-1")
	}
	return strings.Join(words, " ")
}

func kernel(t *testing.T) string {
	text, err := os.ReadFile("/proc/sys/kernel/osrelease")
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(text))
}
