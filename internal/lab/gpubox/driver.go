package gpubox

import (
	"strings"

	"github.com/pdprov/pdprov/internal/lab/deb"
)

// driverVersions of NVIDIA's repository, of three branches.
func driverVersions() []string {
	return []string{"570.195.03", "580.95.05", "580.126.09", "595.58.03"}
}

func driverPackages() []deb.Package {
	var all []deb.Package
	for _, v := range driverVersions() {
		all = append(all, debianDriver(v)...)
	}
	for _, branch := range []string{"570", "580", "595"} {
		all = append(all, pinning(branch))
	}
	return all
}

// debianDriver is a driver in NVIDIA's names for Debian. As in the real repository, a
// part is wanted in at least the version of what wants it: a metapackage of one version
// does not keep its parts at that version. Those of one source package are upgraded
// together by apt, when one of them is, and nothing pins them.
func debianDriver(v string) []deb.Package {
	least := func(names ...string) string {
		var parts []string
		for _, n := range names {
			parts = append(parts, n+" (>= "+v+"-1)")
		}
		return strings.Join(parts, ", ")
	}
	meta := func(name, depends string) deb.Package {
		return deb.Package{Name: name, Version: v + "-1", Fields: deb.Fields{{"Depends", depends}}}
	}
	driver := func(name, depends string) deb.Package {
		p := meta(name, depends)
		p.Fields = append(p.Fields, [2]string{"Source", "nvidia-graphics-drivers"})
		return p
	}
	modules := "nvidia-kernel-open-dkms (>= " + v + "-1) | nvidia-kernel-dkms (>= " + v + "-1)"
	parts := []deb.Package{
		meta("nvidia-open", least("nvidia-driver", "nvidia-driver-cuda", "nvidia-kernel-open-dkms")),
		meta("cuda-drivers", least("nvidia-driver", "nvidia-driver-cuda", "nvidia-kernel-dkms")),
		driver("nvidia-driver", least("nvidia-driver-libs", "nvidia-modprobe", "nvidia-kernel-support")+", "+modules),
		driver("nvidia-driver-libs", least("libnvidia-ml1")),
		cudaDriver(driver("nvidia-driver-cuda", least("libnvidia-ml1", "libcuda1", "nvidia-persistenced", "nvidia-modprobe")+", "+modules)),
		library(driver("libnvidia-ml1", "libc6"), "libnvidia-ml.so", v),
		library(driver("libcuda1", "libc6"), "libcuda.so", v),
		dkmsPackage(driver("nvidia-kernel-open-dkms", "dkms, "+least("nvidia-kernel-support")), v, "nvidia-kernel-dkms"),
		dkmsPackage(driver("nvidia-kernel-dkms", "dkms, "+least("nvidia-kernel-support")), v, "nvidia-kernel-open-dkms"),
		kernelSupport(driver("nvidia-kernel-support", least("nvidia-modprobe")), v),
		modprobePackage(meta("nvidia-modprobe", "libc6")),
		persistenced(meta("nvidia-persistenced", least("libnvidia-ml1"))),
		fabricManager(meta("nvidia-fabricmanager", "libc6"), v),
	}
	return parts
}

func cudaDriver(p deb.Package) deb.Package {
	p.Files = []deb.File{{Path: "/usr/bin/nvidia-smi", Text: stub("nvidia-smi"), Mode: 0o755}}
	return p
}

// library holds one shared library that nothing can be linked with.
func library(p deb.Package, name, v string) deb.Package {
	p.Files = []deb.File{
		{Path: Libraries + "/" + name + "." + v, Text: "practice lab: " + name + " " + v + "\n"},
		{Path: Libraries + "/" + name + ".1", Link: name + "." + v},
	}
	return p
}

// dkmsPackage holds module source; as with NVIDIA's own, a build that fails does not fail
// the installation.
func dkmsPackage(p deb.Package, v, rival string) deb.Package {
	license := "Dual MIT/GPL"
	if strings.Contains(rival, "open") {
		license = "NVIDIA"
	}
	p.Fields = append(p.Fields, [2]string{"Conflicts", rival}, [2]string{"Replaces", rival}, [2]string{"Provides", "nvidia-kernel-" + v})
	source := "/usr/src/nvidia-" + v
	p.Files = []deb.File{
		{Path: source + "/dkms.conf", Text: "PACKAGE_NAME=\"nvidia\"\nPACKAGE_VERSION=\"" + v + "\"\nAUTOINSTALL=\"yes\"\n" +
			"BUILT_MODULE_NAME[0]=\"nvidia\"\nBUILT_MODULE_NAME[1]=\"nvidia-modeset\"\nBUILT_MODULE_NAME[2]=\"nvidia-drm\"\nBUILT_MODULE_NAME[3]=\"nvidia-uvm\"\nBUILT_MODULE_NAME[4]=\"nvidia-peermem\"\n"},
		{Path: source + "/LICENSE", Text: license + "\n"},
	}
	p.Scripts = map[string]string{
		"postinst": "if [ \"$1\" = configure ]\nthen\n  dkms add -m nvidia -v " + v + " || true\n  dkms autoinstall -m nvidia -v " + v + " || true\nfi\n",
		"prerm":    "dkms remove -m nvidia -v " + v + " --all || true\n",
	}
	return p
}

func kernelSupport(p deb.Package, v string) deb.Package {
	const options = "/etc/modprobe.d/nvidia-options.conf"
	p.Files = []deb.File{
		{Path: "/lib/firmware/nvidia/" + v + "/gsp_ga10x.bin", Text: "practice lab\n"},
		{Path: options, Text: "#options nvidia NVreg_DeviceFileUID=0 NVreg_DeviceFileGID=44 NVreg_DeviceFileMode=0660\n"},
	}
	p.Conffiles = []string{options}
	return p
}

func modprobePackage(p deb.Package) deb.Package {
	p.Files = []deb.File{{Path: "/usr/bin/nvidia-modprobe", Text: stub("nvidia-modprobe"), Mode: 0o4755}}
	return p
}

// service adds a unit that is enabled and started when it is installed.
func service(p deb.Package, name, text string) deb.Package {
	p.Files = append(p.Files, deb.File{Path: "/lib/systemd/system/" + name, Text: text})
	p.Scripts = map[string]string{
		"postinst": "if [ \"$1\" = configure ]\nthen\n  systemctl enable -q " + name + " || true\n" +
			"  if [ -d /run/systemd/system ]\n  then\n    systemctl daemon-reload\n    systemctl restart " + name + " || true\n  fi\nfi\n",
		"prerm": "if [ \"$1\" = remove ] && [ -d /run/systemd/system ]\nthen\n  systemctl disable -q --now " + name + " || true\nfi\n",
	}
	return p
}

func persistenced(p deb.Package) deb.Package {
	p.Files = []deb.File{{Path: "/usr/bin/nvidia-persistenced", Text: stub("nvidia-persistenced"), Mode: 0o755}}
	return service(p, "nvidia-persistenced.service", `[Unit]
Description=NVIDIA Persistence Daemon

[Service]
ExecStart=/usr/bin/nvidia-persistenced --verbose

[Install]
WantedBy=multi-user.target
`)
}

func fabricManager(p deb.Package, v string) deb.Package {
	p.Files = []deb.File{{Path: "/usr/bin/nv-fabricmanager", Text: stub("nv-fabricmanager " + v), Mode: 0o755}}
	return service(p, "nvidia-fabricmanager.service", `[Unit]
Description=NVIDIA fabric manager service

[Service]
ExecStart=/usr/bin/nv-fabricmanager -c /usr/share/nvidia/nvswitch/fabricmanager.cfg

[Install]
WantedBy=multi-user.target
`)
}

// pinning keeps all packages of the driver at one branch.
func pinning(branch string) deb.Package {
	var text strings.Builder
	for _, name := range []string{
		"nvidia-open", "cuda-drivers", "nvidia-driver", "nvidia-driver-*", "libnvidia-*", "libcuda1", "nvidia-kernel-*",
		"nvidia-modprobe", "nvidia-persistenced", "nvidia-fabricmanager",
	} {
		text.WriteString("Package: " + name + "\nPin: version " + branch + ".*\nPin-Priority: 1000\n\n")
	}
	file := "/etc/apt/preferences.d/nvidia-driver-pinning-" + branch
	return deb.Package{
		Name: "nvidia-driver-pinning-" + branch, Version: branch + "-1", Architecture: "all",
		Fields:    deb.Fields{{"Conflicts", "nvidia-driver-pinning"}, {"Replaces", "nvidia-driver-pinning"}, {"Provides", "nvidia-driver-pinning"}},
		Files:     []deb.File{{Path: file, Text: text.String()}},
		Conffiles: []string{file},
	}
}
