package gpubox_test

import (
	"strings"
	"testing"
	"time"

	"github.com/pdprov/pdprov/internal/lab/gpubox"
)

const query = "nvidia-smi --query-gpu=index,uuid,memory.total,pcie.link.gen.current --format=csv,noheader,nounits"

// look is a command and what it must say while a switch has a value.
type look struct {
	command string
	status  int
	want    string // the output has it, or has not where it begins with "!"
}

// looks says what each value of a switch does that shows at once, in the order in which
// the values are set; the last of each switch is what a host has from the start.
func looks() map[string][]struct {
	value string
	look
} {
	type at = struct {
		value string
		look
	}
	return map[string][]at{
		"smi": {
			{"missing", look{"nvidia-smi", 127, "not found"}},
			{"hang", look{"timeout 1 nvidia-smi", 124, ""}},
			{"exit-9", look{"nvidia-smi -L", 9, "couldn't communicate"}},
			{"no-devices", look{"nvidia-smi -L", 6, "No devices were found"}},
			{"no-devices-0", look{"nvidia-smi -L", 0, "No devices were found"}},
			{"works", look{"nvidia-smi -L", 0, "GPU 7:"}},
		},
		"smi-unknown-field": {
			{"uuid", look{query, 2, `Field "uuid" is not a valid field to query.`}},
			{"none", look{query, 0, "GPU-"}},
		},
		"smi-banner": {
			{"r610", look{"nvidia-smi --version; nvidia-smi", 0, "CUDA UMD Version: 13.0"}},
			{"r580", look{"nvidia-smi --version; nvidia-smi", 0, "CUDA Version: 13.0"}},
		},
		"smi-ansi": {
			{"off", look{"nvidia-smi topo -m", 0, "!\x1b"}},
			{"on", look{"nvidia-smi topo -m", 0, "\x1b[4mGPU0"}},
		},
		"smi-numbers": {
			{"na", look{query + " -i 0", 0, "b39b, N/A, N/A"}},
			{"bracket-na", look{query + " -i 0", 0, "b39b, [N/A], [N/A]"}},
			{"empty", look{query + " -i 0", 0, "b39b, ,"}},
			{"deprecated", look{query + " -i 0", 0, "b39b, Requested functionality has been deprecated"}},
			{"right", look{query + " -i 0", 0, "b39b, 97887, 1"}},
		},
		"smi-order": {
			{"changed", look{query, 0, "0, GPU-53470f47"}},
			{"pci", look{query, 0, "0, GPU-e588912b"}},
		},
		"gpus": {
			{"one-lost", look{query + " | wc -l; ls -d /sys/bus/pci/devices/0000:f5:00.0", 0, "7\n/sys"}},
			{"one-gone", look{query + " | wc -l; ls -d /sys/bus/pci/devices/0000:f5:00.0", 2, "7\n"}},
			{"all", look{query + " | wc -l", 0, "8"}},
		},
		"link": {
			{"busy", look{query + " -i 0; cat /sys/bus/pci/devices/0000:06:00.0/current_link_speed", 0, "97887, 5\n32.0 GT/s PCIe"}},
			{"idle", look{query + " -i 0", 0, "97887, 1"}},
			{"real", look{query + " -i 0", 0, "97887, 1"}},
		},
		"numa": {
			{"none", look{"cd /sys/bus/pci/devices/0000:f5:00.0; cat numa_node local_cpulist", 0, "-1\n0-238,240-255"}},
			{"real", look{"cd /sys/bus/pci/devices/0000:f5:00.0; cat numa_node local_cpulist", 0, "1\n64-127"}},
		},
		"nvswitch": {
			{"present", look{"cat /sys/bus/pci/devices/*/class | grep -c 0x068000", 0, "4"}},
			{"none", look{"cat /sys/bus/pci/devices/*/class | grep -c 0x068000", 1, "0"}},
		},
		"compute-process": {
			{"comma", look{"nvidia-smi --query-compute-apps=pid,process_name --format=csv,noheader -i 0", 0, "a,b"}},
			{"plain", look{"nvidia-smi --query-compute-apps=gpu_uuid,used_memory --format=csv,noheader,nounits -i 0; modprobe -r nvidia_uvm nvidia", 1, "39b, 91542"}},
			{"off", look{"modprobe nvidia_uvm; nvidia-smi --query-compute-apps=pid --format=csv,noheader", 0, "!9"}},
		},
		"dkms-form": {
			{"2", look{"dkms status", 0, "nvidia, 580.95.05, "}},
			{"3", look{"dkms status", 0, "nvidia/580.95.05, "}},
		},
		"modinfo": {
			{"missing", look{"modinfo -F version nvidia", 127, "not found"}},
			{"works", look{"modinfo -F version nvidia", 0, "580.95.05"}},
		},
		"library": {
			{"newer", look{"nvidia-smi; grep -B1 -A2 unattended-upgrade /var/log/apt/history.log; grep 'upgrade libnvidia-ml1' /var/log/dpkg.log", 0, "Commandline: /usr/bin/unattended-upgrade\nUpgrade: libnvidia-ml1:amd64 (580.95.05-1, 595.58.03-1)"}},
			{"same", look{"nvidia-smi -L", 0, "GPU 7:"}},
		},
		"hold": {
			{"gap", look{"apt-mark showhold", 0, "!libnvidia"}},
			{"all", look{"apt-mark showhold", 0, "libnvidia-ml1"}},
			{"none", look{"apt-mark showhold", 0, "!nvidia"}},
		},
		"second-source": {
			{"conflicting", look{"apt-get update", 100, "Conflicting values set for option Signed-By"}},
			{"none", look{"apt-get update", 0, ""}},
		},
		"apt-lock": {
			{"60", look{"apt-get install -y tree", 100, "Could not get lock /var/lib/dpkg/lock-frontend"}},
			{"0", look{"apt-get install -y nvidia-open", 0, ""}},
		},
		"dpkg": {
			{"interrupted", look{"apt-get install -y dkms; dpkg --audit", 0, "dpkg was interrupted"}},
			{"whole", look{"test -z \"$(dpkg --audit)\" && apt-get install -y dkms", 0, ""}},
		},
		"needrestart": {
			{"asks", look{"DEBIAN_FRONTEND= timeout 5 apt-get install -y --reinstall dkms", 124, "Which services should be restarted?"}},
			{"none", look{"DEBIAN_FRONTEND= apt-get install -y --reinstall dkms", 0, "!Which"}},
		},
		"clock": {
			{"behind", look{"apt-get update", 100, "is not valid yet"}},
			{"right", look{"apt-get update", 0, ""}},
		},
	}
}

// TestSwitches sets every switch that shows without a reboot; boot_test.go has the others.
func TestSwitches(t *testing.T) {
	b := up(t, gpubox.RTX)
	b.installDriver("580.95.05")
	for _, s := range gpubox.AllSwitches() {
		cases, ok := looks()[s.Name]
		if !ok && !atBoot[s.Name] {
			t.Errorf("no test sets the switch %s", s.Name)
		}
		for _, c := range cases {
			t.Run(s.Name+"="+c.value, func(t *testing.T) {
				b := b.in(t)
				b.set(s.Name, c.value)
				out, status := b.sh(c.command)
				want, absent := strings.CutPrefix(c.want, "!")
				if status != c.status || strings.Contains(out, want) == absent {
					b.Errorf("%s\nended with status %d, not %d, or its output is wrong about %q:\n%s", c.command, status, c.status, c.want, out)
				}
			})
		}
	}
	t.Run("what cannot be set", func(t *testing.T) {
		for name, value := range map[string]string{"smi": "sings", "apt-lock": "soon", "no-such": "on"} {
			if err := b.host.Set(name, value); err == nil {
				t.Errorf("%s=%s was taken", name, value)
			}
		}
	})
	t.Run("smi=hang-unkillable", func(t *testing.T) { testUnkillable(b.in(t)) })
}

// testUnkillable needs no more than what Linux promises: a killed process is still
// there. Which of its threads hangs is not promised: the first may have ended.
func testUnkillable(b box) {
	b.set("smi", "hang-unkillable")
	b.must("(nvidia-smi & echo $! > /run/smi.pid) > /dev/null 2>&1; sleep 0.5; kill -KILL $(cat /run/smi.pid); sleep 0.5")
	b.says("cat /proc/$(cat /run/smi.pid)/task/*/stat", 0, " D ")
	begin := time.Now()
	b.reboot()
	if took := time.Since(begin); took > 50*time.Second {
		b.Errorf("the reboot took %v", took)
	}
	b.says("nvidia-smi -L", 0, "GPU 7:")
}
