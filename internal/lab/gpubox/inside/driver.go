package inside

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/pdprov/pdprov/internal/lab/gpubox"
	"github.com/pdprov/pdprov/internal/lab/gpubox/kmod"
)

// showDriver writes /proc/driver/nvidia and the device files.
func showDriver(s state, m gpubox.Machine) error {
	dir := gpubox.Run + "/driver/nvidia"
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	if err := os.MkdirAll(gpubox.Run+"/driver", 0o755); err != nil {
		return err
	}
	driver, ok := s.module("nvidia")
	if !ok {
		return removeNodes()
	}
	files := map[string]string{"version": versionText(driver, m), "params": "ModifyDeviceFiles: 1\n"}
	if s.works(m) {
		for _, g := range m.GPUs {
			files["gpus/"+g.Address+"/information"] = information(g, driver.Version)
		}
	}
	if err := writeAll(dir, files); err != nil {
		return err
	}
	return makeNodes(s, m)
}

func versionText(driver kmod.Module, m gpubox.Machine) string {
	built := m.Built
	if built == "" {
		built = "(dvs-builder@U22-I3-AM02-24-3)"
	}
	flavour := "Open Kernel Module for x86_64"
	if driver.License != kmod.Open {
		flavour = "x86_64 Kernel Module"
	}
	return fmt.Sprintf("NVRM version: NVIDIA UNIX %s  %s  Release Build  %s  \nGCC version:  gcc version 15.3.0 (GCC) \n",
		flavour, driver.Version, built)
}

func information(g gpubox.GPU, version string) string {
	return fmt.Sprintf("Model: \t\t %s\nIRQ:   \t\t %d\nGPU UUID: \t %s\nVideo BIOS: \t %s\nBus Type: \t PCIe\nDMA Size: \t 52 bits\n"+
		"DMA Mask: \t 0xfffffffffffff\nBus Location: \t %s\nDevice Minor: \t %d\nGPU Firmware: \t %s\nGPU Excluded:\t No\n",
		g.Name, 41+g.Minor, g.UUID, strings.ToLower(g.VBIOS), g.Address, g.Minor, version)
}

// makeNodes makes device files. Nothing stands behind NVIDIA's numbers here, so they
// carry those of /dev/null: a process can open and hold them.
func makeNodes(s state, m gpubox.Machine) error {
	names := []string{"/dev/nvidiactl"}
	if s.works(m) {
		for _, g := range m.GPUs {
			names = append(names, fmt.Sprintf("/dev/nvidia%d", g.Minor))
		}
	}
	if _, ok := s.module("nvidia_modeset"); ok {
		names = append(names, "/dev/nvidia-modeset")
	}
	if _, ok := s.module("nvidia_uvm"); ok {
		names = append(names, "/dev/nvidia-uvm", "/dev/nvidia-uvm-tools")
	}
	for _, name := range names {
		if _, err := os.Lstat(name); err == nil {
			continue
		}
		if err := unix.Mknod(name, unix.S_IFCHR|0o666, int(unix.Mkdev(1, 3))); err != nil {
			return fmt.Errorf("making %s: %w", name, err)
		}
		if err := os.Chmod(name, 0o666); err != nil {
			return err
		}
	}
	return nil
}

func removeNodes() error {
	names, _ := filepath.Glob("/dev/nvidia*")
	for _, name := range names {
		if err := os.RemoveAll(name); err != nil {
			return err
		}
	}
	return nil
}

// holders counts the open files on the GPUs' device files.
func holders() int {
	count := 0
	files, _ := filepath.Glob("/proc/[0-9]*/fd/*")
	for _, f := range files {
		if target, err := os.Readlink(f); err == nil && strings.HasPrefix(target, "/dev/nvidia") {
			count++
		}
	}
	return count
}

// references is a module's count of uses.
func (s state) references(name string) int {
	n := len(s.users(name))
	if name == "nvidia" {
		n += holders()
	}
	return n
}
