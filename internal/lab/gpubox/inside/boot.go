package inside

import (
	"errors"
	"os"
	"regexp"
	"strings"

	"github.com/pdprov/pdprov/internal/lab/gpubox"
	"github.com/pdprov/pdprov/internal/lab/gpubox/kmod"
)

// boot is the early unit: it decides what is loaded, from what is on disk, and mounts
// the trees that show it.
func boot([]string) int {
	m := machine()
	if err := prepare(m); err != nil {
		return fail("%v", err)
	}
	status := change(func(s *state) int {
		s.Kernel, s.Modules = newestKernel(), nil
		decide(s, m)
		return 0
	})
	if err := mountTrees(); err != nil {
		return fail("%v", err)
	}
	return status
}

// prepare makes what the trees need. A reboot ends what only a running kernel has: a
// process that holds GPUs, and a hang.
func prepare(m gpubox.Machine) error {
	errs := []error{write(gpubox.Run+"/cpus", m.CPUs+"\n"), write(gpubox.Run+"/hang", ""), remember(processFile, "")}
	if set("smi") == "hang-unkillable" {
		errs = append(errs, remember(gpubox.Switches+"/smi", ""))
	}
	if v := set("secure-boot"); v != "" {
		errs = append(errs, setSecureBoot(v))
	}
	return errors.Join(errs...)
}

// decide loads nouveau unless the initramfs keeps it out, else NVIDIA's module for the
// kernel that is booted, else the driver of the machine's image.
func decide(s *state, m gpubox.Machine) {
	tree := "/lib/modules/" + s.Kernel
	nouveau, err := kmod.Read(tree + "/kernel/drivers/gpu/drm/nouveau/nouveau.ko")
	if err == nil && m.Driver == "" && !blacklisted(s.Kernel) {
		s.Modules = append(s.Modules, nouveau)
		return
	}
	if err := insert(s, m, "nvidia"); err == nil {
		_ = insert(s, m, "nvidia-modeset") // udev loads what is there
		_ = insert(s, m, "nvidia-drm")
		_ = insert(s, m, "nvidia-uvm")
		return
	}
	if m.Driver != "" {
		for _, name := range []string{"nvidia", "nvidia-uvm"} {
			image := kmod.New(name, m.Driver, kmod.Open, s.Kernel)
			image.Name = strings.ReplaceAll(name, "-", "_")
			s.Modules = append(s.Modules, image)
		}
	}
}

var blacklist = regexp.MustCompile(`(?m)^\s*(blacklist\s+nouveau|install\s+nouveau\s+/bin/(false|true)|install\s+nouveau\s+/usr/bin/(false|true))\s*$`)

// blacklisted looks into the initramfs, because that is what loads nouveau: a file in
// /etc alone changes nothing.
func blacklisted(kernel string) bool {
	image, err := os.ReadFile("/boot/initrd.img-" + kernel)
	if err != nil {
		return false
	}
	for _, text := range files(image) {
		if blacklist.Match(text) {
			return true
		}
	}
	return false
}
