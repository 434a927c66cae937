package gpubox_test

import (
	"context"
	"testing"
	"time"

	"github.com/pdprov/pdprov/internal/lab/gpubox"
)

// atBoot are the switches that this file tests, because they show at a boot only.
var atBoot = map[string]bool{
	"secure-boot": true, "pending-kernel": true, "dkms-build": true, "fabric-manager": true,
	"ssh-delay": true, "shutdown-delay": true, "reboot": true,
}

func TestBootSwitches(t *testing.T) {
	b := up(t, gpubox.RTX)
	next := gpubox.NextKernel(kernel(t))
	t.Run("values that a fresh host has", func(t *testing.T) {
		for _, s := range gpubox.AllSwitches() {
			if s.Name == "library" || s.Name == "hold" {
				continue // they need a driver
			}
			b.in(t).set(s.Name, s.Values[0])
		}
	})
	t.Run("a module that does not build", func(t *testing.T) {
		b := b.in(t)
		b.set("dkms-build", "fails")
		b.installDriver("580.95.05") // apt-get ends well
		b.says("dkms status", 0, "nvidia/580.95.05: added")
		b.says("modinfo nvidia", 1, "not found")
		b.says("dkms autoinstall", 11, "Bad return status for module build on kernel: ")
		b.says("nvidia-smi", 9, "couldn't communicate")
		b.set("dkms-build", "works")
		b.must("dkms autoinstall && modprobe nvidia")
		b.says("nvidia-smi -L", 0, "GPU 7:")
	})
	t.Run("secure boot", func(t *testing.T) {
		b := b.in(t)
		const variable = "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"
		b.says("test -e /sys/firmware/efi", 1, "")
		b.set("secure-boot", "off")
		b.says("od -An -tu1 "+variable, 0, "6   0   0   0   0")
		b.set("secure-boot", "on")
		b.reboot()
		b.says("od -An -tu1 "+variable, 0, "6   0   0   0   1")
		b.says("modprobe nvidia", 1, "could not insert 'nvidia': Key was rejected by service")
		b.set("secure-boot", "bios")
		b.must("modprobe nvidia")
	})
	t.Run("a fabric manager of another version", func(t *testing.T) {
		b := b.in(t)
		b.set("nvswitch", "present")
		b.set("fabric-manager", "other")
		b.says("systemctl is-active nvidia-fabricmanager", 3, "failed")
		b.says("journalctl -q -u nvidia-fabricmanager -o cat", 0, "don't match with driver version 580.95.05")
		b.must("apt-get install -y --allow-downgrades nvidia-fabricmanager=580.95.05-1")
		b.says("systemctl is-active nvidia-fabricmanager", 0, "active")
		b.set("fabric-manager", "none")
	})
	t.Run("a newer kernel", func(t *testing.T) {
		b := b.in(t)
		b.set("pending-kernel", "without-headers")
		b.says("test -e /boot/vmlinuz-"+next+" && modinfo -k "+next+" -F version nvidia", 1, "not found")
		b.reboot()
		b.says("nvidia-smi", 9, "couldn't communicate")
		b.set("pending-kernel", "with-headers")
		b.says("modinfo -k "+next+" -F version nvidia", 0, "580.95.05")
		b.says("dkms status", 0, "nvidia/580.95.05, "+next+", x86_64: installed")
		b.set("pending-kernel", "none")
		b.says("test -e /boot/vmlinuz-"+next, 1, "")
	})
	t.Run("slow to go and slow to come", func(t *testing.T) { testSlowReboot(b.in(t)) })
	t.Run("an order that is ignored", func(t *testing.T) {
		b := b.in(t)
		b.set("reboot", "ignored")
		const id = "cat /proc/sys/kernel/random/boot_id"
		before := b.must(id)
		b.must("systemctl reboot")
		time.Sleep(2 * time.Second)
		b.says(id, 0, before)
		b.set("reboot", "returns")
	})
	t.Run("a host that never returns", func(t *testing.T) {
		b := b.in(t)
		b.set("reboot", "never-returns")
		if err := b.host.Reboot(); err == nil {
			t.Error("the host came back")
		}
		if err := b.host.PowerOn(); err != nil {
			t.Fatal(err)
		}
		b.reboot()
	})
}

func testSlowReboot(b box) {
	const seconds = "4"
	b.set("shutdown-delay", seconds)
	b.set("ssh-delay", seconds)
	before, err := b.host.Status()
	if err != nil {
		b.Fatal(err)
	}
	begin := time.Now()
	b.must("systemctl reboot --no-block")
	time.Sleep(2 * time.Second)
	ctx, cancel := context.WithTimeout(b.Context(), time.Minute)
	defer cancel()
	if err := b.host.WaitSSH(ctx); err != nil {
		b.Error(err)
	}
	if now, err := b.host.Status(); err != nil || now.Boots != before.Boots {
		b.Errorf("2 s after the order the host is in boot %d, not %d (%v)", now.Boots, before.Boots, err)
	}
	for now := before; now.Boots == before.Boots; time.Sleep(50 * time.Millisecond) {
		if now, err = b.host.Status(); err != nil || ctx.Err() != nil {
			b.Fatal(err, ctx.Err())
		}
	}
	if took := time.Since(begin); took < 4*time.Second {
		b.Errorf("the host went down %v after the order", took)
	}
	began := time.Now()
	if err := b.host.WaitSSH(ctx); err != nil {
		b.Fatal(err)
	}
	if took := time.Since(began); took < 3*time.Second {
		b.Errorf("ssh answered %v after the boot", took)
	}
	b.set("shutdown-delay", "0")
	b.set("ssh-delay", "0")
	b.reboot()
}
