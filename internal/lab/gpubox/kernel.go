package gpubox

import (
	"regexp"
	"strconv"

	"github.com/pdprov/pdprov/internal/lab/deb"
	"github.com/pdprov/pdprov/internal/lab/gpubox/kmod"
)

var patchLevel = regexp.MustCompile(`^(\d+\.\d+\.)(\d+)`)

// NextKernel is the release of a kernel one patch level newer.
func NextKernel(kernel string) string {
	m := patchLevel.FindStringSubmatch(kernel)
	if m == nil {
		return kernel + "-next"
	}
	n, _ := strconv.Atoi(m[2]) // digits
	return m[1] + strconv.Itoa(n+1) + kernel[len(m[0]):]
}

// kernelPackages are what the distribution's archive has for kernels, and dkms. They
// have high versions, so that they win over the real ones, which would not fit.
func kernelPackages(kernel string) []deb.Package {
	next := NextKernel(kernel)
	image := deb.Package{
		Name: "linux-image-" + next, Version: "99-1",
		Files: []deb.File{
			{Path: "/boot/vmlinuz-" + next, Text: "practice lab\n"},
			{Path: "/lib/modules/" + next + "/modules.order"},
			{Path: "/lib/modules/" + next + "/modules.builtin"},
			{Path: "/lib/modules/" + next + "/modules.builtin.modinfo"},
			nouveau(next),
		},
		Scripts: map[string]string{
			"postinst": "depmod " + next + "\nupdate-initramfs -c -k " + next + "\n[ ! -x /usr/sbin/dkms ] || dkms autoinstall -k " + next + " || true\n",
		},
	}
	return []deb.Package{
		headers(kernel), headers(next), image,
		{Name: "linux-headers-amd64", Version: "99-1", Fields: deb.Fields{{"Depends", "linux-headers-" + kernel + ", linux-headers-" + next}}},
		{Name: "linux-headers-generic", Version: "99-1", Fields: deb.Fields{{"Depends", "linux-headers-" + kernel + ", linux-headers-" + next}}},
		{Name: "dkms", Version: "99-1", Files: []deb.File{{Path: "/usr/sbin/dkms", Text: stub("dkms"), Mode: 0o755}}},
	}
}

func headers(kernel string) deb.Package {
	return deb.Package{
		Name: "linux-headers-" + kernel, Version: "99-1",
		Files: []deb.File{
			{Path: "/usr/src/linux-headers-" + kernel + "/Makefile", Text: "# practice lab\n"},
			{Path: "/lib/modules/" + kernel + "/build", Link: "/usr/src/linux-headers-" + kernel},
		},
		Scripts: map[string]string{"postinst": "[ ! -x /usr/sbin/dkms ] || dkms autoinstall -k " + kernel + " || true\n"},
	}
}

// nouveau is the module in the kernel's own tree.
func nouveau(kernel string) deb.File {
	return deb.File{
		Path: "/lib/modules/" + kernel + "/kernel/drivers/gpu/drm/nouveau/nouveau.ko",
		Text: string(kmod.New("nouveau", "", "GPL and additional rights", kernel).Bytes()),
	}
}
