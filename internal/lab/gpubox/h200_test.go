package gpubox_test

import (
	"os"
	"strings"
	"testing"

	"github.com/pdprov/pdprov/internal/lab/gpubox"
)

// recorded has the packages and the query of the machine that the profile stands for.
const recorded = "testdata/h200-ubuntu2404/"

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(recorded + name)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(text))
}

// TestH200 compares the profile with what was recorded on the real machine.
func TestH200(t *testing.T) {
	b := up(t, gpubox.H200)
	for name, command := range map[string]string{
		"os-release":                     "cat /etc/os-release",
		"nvcc-version.txt":               "/usr/local/cuda/bin/nvcc --version",
		"nvidia-smi-L.txt":               "nvidia-smi -L",
		"nvidia-smi-version.txt":         "nvidia-smi --version",
		"nvidia-smi-topo-m.txt":          "nvidia-smi topo -m",
		"proc-driver-nvidia-version.txt": "cat /proc/driver/nvidia/version",
		"query-gpu.csv":                  read(t, "query-gpu.cmd"),
		"usr-local-cuda.ls":              "ls -d /usr/local/cuda*",
		"dpkg-gpu-packages.tsv":          "dpkg-query -W 'cuda*' 'libcudnn*'",
		"pci-devices.txt":                `for d in /sys/bus/pci/devices/*; do echo "$d $(cat $d/vendor) $(cat $d/device) $(cat $d/class) $(cat $d/numa_node) "; done`,
	} {
		t.Run(name, func(t *testing.T) {
			if got, want := b.in(t).must(command), read(t, name); got != want {
				t.Errorf("%s\ngot:\n%s\nrecorded:\n%s", command, got, want)
			}
		})
	}
	t.Run("the repository is that of its system", func(t *testing.T) {
		source, err := b.in(t).lab.Repository()
		if err != nil || !strings.HasSuffix(source.URL, "/compute/cuda/repos/ubuntu2404/x86_64") {
			t.Errorf("%s, %v", source.URL, err)
		}
		b.in(t).must("curl -fsS " + source.KeyURL)
		b.in(t).must("curl -fsS " + source.URL + "/Packages")
	})
	t.Run("no package has the driver", func(t *testing.T) {
		b := b.in(t)
		b.says("dpkg -S /usr/bin/nvidia-smi /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.580.159.04", 1, "")
		b.says("nvidia-smi", 0, "| NVIDIA-SMI 580.159.04             Driver Version: 580.159.04     CUDA Version: 13.0     |")
		b.says("modinfo nvidia", 1, "not found")
		b.says("cat /sys/module/nvidia/version", 0, "580.159.04")
		b.says("ls /usr/local/cuda-13.0/version.json", 2, "")
		b.says("dpkg --audit", 0, "")
	})
	t.Run("signed modules of the archive", func(t *testing.T) {
		b := b.in(t)
		b.must(offline + "apt-get update && apt-get install -y nvidia-headless-565-server-open linux-modules-nvidia-580-server-open-generic nvidia-utils-580-server")
		b.says("modinfo -F signer nvidia", 0, "Canonical Ltd. Kernel Module Signing")
		b.says("dpkg-query -W nvidia-headless-580-server-open", 0, "580.95.05") // what the old name leads to
		b.set("secure-boot", "on")
		b.reboot()
		b.says("nvidia-smi --query-gpu=driver_version --format=csv,noheader", 0, "580.95.05")
	})
}
