package gpubox

import (
	"github.com/pdprov/pdprov/internal/lab/deb"
	"github.com/pdprov/pdprov/internal/lab/gpubox/kmod"
)

// canonical signs the modules of Ubuntu's archive.
const canonical = "Canonical Ltd. Kernel Module Signing"

// ubuntuPackages are NVIDIA's versioned names for Ubuntu, of before branch 590.
func ubuntuPackages() []deb.Package {
	var all []deb.Package
	for _, v := range []string{"580.95.05", "580.126.09"} {
		all = append(all, ubuntuDriver(v, v+"-1ubuntu1", "580")...)
	}
	return all
}

// archivePackages are Ubuntu's own names, with modules that are built and signed.
func archivePackages(kernel string) []deb.Package {
	const v, full = "580.95.05", "580.95.05-0ubuntu0.24.04.1"
	all := ubuntuDriver(v, full, "580-server")
	signed := deb.Package{
		Name: "linux-modules-nvidia-580-server-open-" + kernel, Version: full,
		Fields:  deb.Fields{{"Depends", "nvidia-kernel-common-580-server (>= " + v + ")"}},
		Scripts: map[string]string{"postinst": "depmod " + kernel + "\n"},
	}
	for _, name := range kmod.Names() {
		m := kmod.New(name, v, kmod.Open, kernel)
		m.Signer = canonical
		signed.Files = append(signed.Files, deb.File{
			Path: "/lib/modules/" + kernel + "/kernel/nvidia-580-server-open/" + name + ".ko", Text: string(m.Bytes()),
		})
	}
	old := func(name, now string) deb.Package {
		return deb.Package{Name: name, Version: full, Fields: deb.Fields{{"Depends", now}, {"Section", "oldlibs"}}}
	}
	return append(all, signed,
		deb.Package{
			Name: "linux-modules-nvidia-580-server-open-generic", Version: full,
			Fields: deb.Fields{{"Depends", signed.Name + " (= " + full + "), nvidia-kernel-common-580-server (>= " + v + ")"}},
		},
		old("nvidia-driver-565-server-open", "nvidia-driver-580-server-open"),
		old("nvidia-headless-565-server-open", "nvidia-headless-580-server-open"),
	)
}

// ubuntuDriver is a driver in Ubuntu's names; line is 580 or 580-server.
func ubuntuDriver(v, full, line string) []deb.Package {
	exact := func(name string) string { return name + " (= " + full + ")" }
	meta := func(name, depends string) deb.Package {
		return deb.Package{Name: name, Version: full, Fields: deb.Fields{{"Depends", depends}}}
	}
	modules := "nvidia-dkms-" + line + "-open (<= " + full + ") | linux-modules-nvidia-" + line + "-open-generic"
	utils, compute, common := "nvidia-utils-"+line, "libnvidia-compute-"+line, "nvidia-kernel-common-"+line
	libraries := library(meta(compute, "libc6"), "libnvidia-ml.so", v)
	libraries.Files = append(libraries.Files, library(deb.Package{}, "libcuda.so", v).Files...)
	dkms := dkmsPackage(meta("nvidia-dkms-"+line+"-open", "dkms, "+exact(common)), v, "nvidia-kernel-dkms")
	dkms.Fields = dkms.Fields[:1]
	return []deb.Package{
		meta("nvidia-driver-"+line+"-open", exact(utils)+", "+exact(compute)+", "+modules),
		meta("nvidia-headless-"+line+"-open", exact(compute)+", "+exact(common)+", "+modules),
		cudaDriver(meta(utils, exact(compute))),
		libraries,
		dkms,
		modprobePackage(meta(common, "libc6")),
	}
}
