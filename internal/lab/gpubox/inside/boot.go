package inside

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
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

var errNotFound = errors.New("no module file")

// find is the file of a module for a kernel; what DKMS installed wins, as in depmod.
func find(kernel, name string) string {
	tree := "/lib/modules/" + kernel
	for _, pattern := range []string{"/updates/dkms/", "/updates/", "/kernel/*/", "/kernel/drivers/gpu/drm/*/"} {
		if found, _ := filepath.Glob(tree + pattern + strings.ReplaceAll(name, "_", "-") + ".ko"); len(found) > 0 {
			return found[0]
		}
	}
	return ""
}

// insert loads a module, in the words of modprobe where it cannot.
func insert(s *state, m gpubox.Machine, name string) error {
	if _, ok := s.module(name); ok {
		return nil
	}
	file := find(s.Kernel, name)
	if file == "" {
		return errNotFound
	}
	module, err := kmod.Read(file)
	if err != nil {
		return err
	}
	if secureBoot() && module.Signer == "" {
		return errors.New("Key was rejected by service")
	}
	if _, bound := s.module("nouveau"); bound && module.Name == "nvidia" {
		return errors.New("No such device")
	}
	if need := needs(module.Name); need != "" {
		if err := insert(s, m, need); err != nil {
			return err
		}
	}
	s.Modules = append(s.Modules, module)
	return nil
}

func secureBoot() bool { return set("secure-boot") == "on" }

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

// newestKernel is the one that a boot loader would start.
func newestKernel() string {
	images, _ := filepath.Glob("/boot/vmlinuz-*")
	var kernels []string
	for _, i := range images {
		k := strings.TrimPrefix(i, "/boot/vmlinuz-")
		if _, err := os.Stat("/lib/modules/" + k); err == nil {
			kernels = append(kernels, k)
		}
	}
	if len(kernels) == 0 {
		return release()
	}
	return slices.MaxFunc(kernels, compareVersions)
}

var piece = regexp.MustCompile(`\d+|\D+`)

// compareVersions compares numbers as numbers.
func compareVersions(a, b string) int {
	as, bs := piece.FindAllString(a, -1), piece.FindAllString(b, -1)
	return slices.CompareFunc(as, bs, func(x, y string) int {
		n, err1 := strconv.Atoi(x)
		k, err2 := strconv.Atoi(y)
		if err1 == nil && err2 == nil {
			return n - k
		}
		return strings.Compare(x, y)
	})
}

// kernels that have headers, so that a module can be built for them.
func kernelsWithHeaders() []string {
	builds, _ := filepath.Glob("/lib/modules/*/build")
	var found []string
	for _, b := range builds {
		if _, err := os.Stat(b); err == nil {
			found = append(found, filepath.Base(filepath.Dir(b)))
		}
	}
	return found
}

// arch is how dkms calls this machine.
const arch = "x86_64"

func moduleFile(kernel, name string) string {
	return fmt.Sprintf("/lib/modules/%s/updates/dkms/%s.ko", kernel, name)
}
