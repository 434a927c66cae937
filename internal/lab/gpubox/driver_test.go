package gpubox_test

import (
	"strings"
	"testing"

	"github.com/pdprov/pdprov/internal/lab/gpubox"
)

// TestDriver goes the whole way of a bare box, as on a real one.
func TestDriver(t *testing.T) {
	b := up(t, gpubox.RTX)
	k := kernel(t)
	t.Run("a fresh box is bare", func(t *testing.T) {
		b := b.in(t)
		b.says("grep -l 0x10de /sys/bus/pci/devices/*/vendor | wc -l", 0, "16") // each GPU has an audio function
		b.says("basename $(readlink /sys/bus/pci/devices/0000:06:00.0/driver)", 0, "nouveau")
		b.says("cat /sys/bus/pci/devices/0000:f5:00.0/numa_node /sys/devices/system/node/node1/cpulist", 0, "1\n64-127,192-238,240-255")
		b.says("test -e /sys/module/nvidia", 1, "")
		b.says("nvidia-smi", 127, "not found")
		b.says("modinfo -F version nvidia", 1, "Module nvidia not found")
		b.says("apt-cache policy nvidia-open", 0, "")
		b.says("ls /boot /lib/modules", 0, k)
	})
	t.Run("a driver comes with a reboot", func(t *testing.T) { testInstall(b.in(t), k) })
	t.Run("modules go and come", func(t *testing.T) { testModules(b.in(t)) })
	t.Run("an upgrade without a reboot", func(t *testing.T) {
		b := b.in(t)
		b.must("apt-get install -y " + exactly("580.126.09"))
		b.says("cat /sys/module/nvidia/version", 0, "580.95.05")
		b.says("modinfo -F version nvidia", 0, "580.126.09")
		b.says("nvidia-smi", 18, "Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 580.126")
		b.says("dkms status", 0, "nvidia/580.126.09, "+k+", x86_64: installed")
		b.reboot()
		b.says("nvidia-smi --query-gpu=driver_version --format=csv,noheader -i 0", 0, "580.126.09")
	})
	t.Run("the proprietary flavour has no Blackwell", func(t *testing.T) {
		b := b.in(t)
		b.must("apt-get install -y nvidia-driver-pinning-580 && apt-get install -y cuda-drivers=580.126.09-1 nvidia-kernel-dkms=580.126.09-1")
		b.reboot()
		b.says("modinfo -F license nvidia", 0, "NVIDIA")
		b.says("head -1 /proc/driver/nvidia/version", 0, "NVIDIA UNIX x86_64 Kernel Module")
		b.says("nvidia-smi", 6, "No devices were found")
	})
}

func testInstall(b box, k string) {
	b.addSource()
	b.must("apt-get install -y linux-headers-" + k + " " + exactly("580.95.05"))
	b.says("modinfo -F license nvidia", 0, "Dual MIT/GPL")
	b.says("dkms status -m nvidia", 0, "nvidia/580.95.05, "+k+", x86_64: installed")
	b.says("readlink -f /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1", 0, "libnvidia-ml.so.580.95.05")
	b.says("nvidia-smi", 9, "couldn't communicate with the NVIDIA driver")
	b.says("modprobe nvidia", 1, "could not insert 'nvidia': No such device")
	b.must("echo 'blacklist nouveau' > /etc/modprobe.d/nouveau.conf")
	b.reboot()
	b.says("ls /sys/module", 0, "nouveau") // the initramfs does not know of the file
	b.must("update-initramfs -u")
	b.reboot()
	b.says("test -e /sys/module/nouveau", 1, "")
	b.says("cat /sys/module/nvidia/version", 0, "580.95.05")
	b.says(`[ "$(cat /sys/module/nvidia/srcversion)" = "$(modinfo -F srcversion nvidia)" ]`, 0, "")
	b.says("basename $(readlink /sys/bus/pci/devices/0000:06:00.0/driver)", 0, "nvidia")
	b.says("grep Minor /proc/driver/nvidia/gpus/0000:06:00.0/information", 0, "Device Minor: \t 2")
	b.says("head -1 /proc/driver/nvidia/version", 0, "NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Release Build")
	if list := b.must("nvidia-smi -L"); strings.Count(list, "RTX PRO 6000") != 8 {
		b.Errorf("nvidia-smi -L lists other than 8 GPUs:\n%s", list)
	}
	b.says("nvidia-smi --query-gpu=index,uuid,pci.bus_id,memory.total,pcie.link.gen.current --format=csv,noheader,nounits -i 7", 0,
		"7, GPU-53470f47-c556-d819-75b5-408c8eec03e4, 00000000:F5:00.0, 97887, 1")
	b.says("nvidia-smi --query-gpu=index,bogus --format=csv", 2, `Field "bogus" is not a valid field to query.`)
	b.says("nvidia-smi -i 99", 6, "No devices were found")
	b.says("nvidia-smi --query-compute-apps=pid,used_memory --format=csv", 0, "pid, used_gpu_memory [MiB]")
	b.says("nvidia-smi topo -m", 0, "GPU4\tSYS\tSYS\tSYS\tSYS\t X \tPIX\tNODE\tNODE\t64-127,192-238\t1\t\tN/A")
	b.says("nvidia-smi -q -x", 0, "<attached_gpus>8</attached_gpus>")
	b.says("systemctl is-active nvidia-persistenced", 0, "active")
}

func testModules(b box) {
	b.says("rmmod nvidia", 1, "rmmod: ERROR: Module nvidia is in use by: nvidia_modeset nvidia_uvm")
	b.must("modprobe -r nvidia_uvm nvidia_drm nvidia_modeset")
	b.says("modprobe -r nvidia", 1, "modprobe: FATAL: Module nvidia is in use.") // the daemon holds it
	b.must("systemctl stop nvidia-persistenced && modprobe -r nvidia")
	b.says("ls /sys/module/nvidia /proc/driver/nvidia /dev/nvidia0", 2, "")
	b.says("nvidia-smi", 9, "couldn't communicate")
	b.must("modprobe nvidia && nvidia-modprobe -u -c=0 && test -c /dev/nvidia-uvm")
	b.says("lsmod", 0, "nvidia_uvm")
	b.says("modprobe no-such-module", 1, "no-such-module") // the real command's
}
