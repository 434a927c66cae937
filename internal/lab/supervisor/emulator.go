package supervisor

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
)

const diskFile = "disk.img"

// makeDisk writes the host's root into a disk image, a sparse file.
func (h *host) makeDisk() error {
	disk := filepath.Join(h.dir(), diskFile)
	if err := os.WriteFile(disk, nil, 0o600); err != nil {
		return err
	}
	if err := os.Truncate(disk, 6<<30); err != nil {
		return err
	}
	if out, err := exec.Command("mke2fs", "-q", "-t", "ext4", "-d", h.root(), disk).CombinedOutput(); err != nil {
		return fmt.Errorf("mke2fs: %w: %s", err, out)
	}
	return nil
}

var linkTarget = regexp.MustCompile(`link dest: "(boot/[0-9A-Za-z.+_-]+)"`)

// readBoot copies the kernel or the initramfs out of the disk, as a boot loader does:
// /vmlinuz and /initrd.img are links that Debian points to the kernel installed last.
func (h *host) readBoot(name string) (string, error) {
	disk, path := filepath.Join(h.dir(), diskFile), filepath.Join(h.dir(), name)
	out, err := exec.Command("debugfs", "-R", "stat /"+name, disk).CombinedOutput()
	target := linkTarget.FindSubmatch(out)
	if err != nil || target == nil {
		return "", fmt.Errorf("/%s of the disk is no link to a file of /boot: %v: %s", name, err, out)
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		return "", err
	}
	out, err = exec.Command("debugfs", "-R", "dump /"+string(target[1])+" "+path, disk).CombinedOutput()
	if info, statErr := os.Stat(path); err != nil || statErr != nil || info.Size() == 0 {
		return "", fmt.Errorf("reading %s from the disk: %v: %s", target[1], errors.Join(err, statErr), out)
	}
	return path, nil
}

// bootEmulator starts qemu with the kernel that the disk says.
func (h *host) bootEmulator() (*session, error) {
	kernel, err := h.readBoot("vmlinuz")
	if err != nil {
		return nil, err
	}
	initramfs, err := h.readBoot("initrd.img")
	if err != nil {
		return nil, err
	}
	tap := "vb-" + h.Name
	_ = ip("link", "delete", tap)
	err = ips(
		[]string{"tuntap", "add", "dev", tap, "mode", "tap"},
		[]string{"link", "set", tap, "master", h.cable.bridge(), "up"},
	)
	if err != nil {
		return nil, err
	}
	return h.startEmulator(emulatorArgs(h.dir(), tap, kernel, initramfs))
}

// emulatorArgs describe a machine with two NUMA nodes of two processors each, and a PCI
// device behind each node's own bridge. qemu ends when the host reboots.
func emulatorArgs(dir, tap, kernel, initramfs string) []string {
	accel, cpu := "tcg,thread=multi", "max"
	if os.Getenv("PDLAB_ACCEL") == "kvm" {
		accel, cpu = "kvm", "host"
	}
	return append(strings.Fields(machineArgs),
		"-accel", accel, "-cpu", cpu,
		"-kernel", kernel, "-initrd", initramfs, "-append", "root=/dev/vda rw console=ttyS0 quiet",
		"-drive", "file="+dir+"/"+diskFile+",if=none,id=disk,format=raw,cache=unsafe", "-device", "virtio-blk-pci,drive=disk,bus=pcie.0",
		"-netdev", "tap,id=cable,ifname="+tap+",script=no,downscript=no", "-device", "virtio-net-pci,netdev=cable,bus=pcie.0,romfile=",
		"-chardev", "file,id=console,path="+dir+"/console.log,append=on", "-serial", "chardev:console",
		"-chardev", "stdio,id=events", "-mon", "chardev=events,mode=control")
}

const machineArgs = `
	-machine q35 -smp 4,sockets=2,cores=2 -m 2G -nodefaults -display none -no-reboot
	-object memory-backend-ram,id=m0,size=1G -object memory-backend-ram,id=m1,size=1G
	-numa node,nodeid=0,cpus=0-1,memdev=m0 -numa node,nodeid=1,cpus=2-3,memdev=m1 -numa dist,src=0,dst=1,val=32
	-device pxb-pcie,id=pxb0,bus_nr=64,numa_node=0,bus=pcie.0 -device pxb-pcie,id=pxb1,bus_nr=128,numa_node=1,bus=pcie.0
	-device pcie-root-port,id=rp0,bus=pxb0,chassis=1,slot=1 -device pcie-root-port,id=rp1,bus=pxb1,chassis=2,slot=2
	-device edu,bus=rp0 -device edu,bus=rp1`

func (h *host) startEmulator(args []string) (*session, error) {
	cmd := exec.Command("qemu-system-x86_64", args...)
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	events, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	h.boots++
	if _, err := io.WriteString(stdin, `{"execute":"qmp_capabilities"}`+"\n"); err != nil {
		return nil, errors.Join(err, cmd.Process.Kill(), cmd.Wait())
	}
	return &session{pid: cmd.Process.Pid, emulated: true, wait: func() (bool, error) {
		again := sawReset(events)
		err := cmd.Wait()
		return again && err == nil, fmt.Errorf("qemu: %v", err)
	}}, nil
}

// sawReset reads qemu's events to their end and says whether the guest asked for a reboot.
func sawReset(events io.Reader) bool {
	reset := false
	lines := bufio.NewScanner(events)
	for lines.Scan() {
		var e struct {
			Event string
			Data  struct{ Reason string }
		}
		if json.Unmarshal(lines.Bytes(), &e) == nil && e.Event == "SHUTDOWN" {
			reset = e.Data.Reason == "guest-reset"
		}
	}
	return reset
}
