package gpubox

import (
	"fmt"
	"strings"

	"github.com/pdprov/pdprov/internal/lab/deb"
)

// toolkit is one patch level of a CUDA toolkit.
type toolkit struct {
	minor  string // 13.0
	patch  string // 13.0.2
	nvcc   string // version of the compiler
	cudart string
	rest   string // version of the other parts
	built  string // last lines but one and but three of nvcc --version
	build  string
	archs  string // what nvcc compiles for
	json   bool   // has version.json, which the recorded 13.0 has not
}

func toolkits() []toolkit {
	const old = "50 52 53 60 61 62 70 72 75 80 86 87 89 90"
	const new13 = "75 80 86 87 88 89 90 100 110 103 120 121"
	return []toolkit{
		{"12.6", "12.6.3", "12.6.85", "12.6.77", "12.6.77", "Tue_Oct_29_23:50:19_PDT_2024", "cuda_12.6.r12.6/compiler.35059454_0", old, true},
		{"12.8", "12.8.1", "12.8.93", "12.8.90", "12.8.90", "Fri_Feb_21_20:23:50_PST_2025", "cuda_12.8.r12.8/compiler.35583870_0", old + " 100 101 120", true},
		{"13.0", "13.0.0", "13.0.48", "13.0.48", "13.0.39", "Wed_Jul_16_07:30:01_PM_PDT_2025", "cuda_13.0.r13.0/compiler.36260728_0", new13, false},
		{"13.0", "13.0.2", "13.0.88", "13.0.96", "13.0.85", "Wed_Aug_20_01:58:59_PM_PDT_2025", "cuda_13.0.r13.0/compiler.36424714_0", new13, false},
	}
}

// dashed is 13-0, as package names say it.
func (t toolkit) dashed() string { return strings.ReplaceAll(t.minor, ".", "-") }

func (t toolkit) major() string {
	major, _, _ := strings.Cut(t.minor, ".")
	return major
}

func (t toolkit) prefix() string { return "/usr/local/cuda-" + t.minor }

// parts are the packages that hold no file that matters here, with what each needs.
// @ stands for the minor version.
func (t toolkit) parts() map[string]string {
	return map[string]string{
		"cuda-cccl-@":         "",
		"cuda-crt-@":          "",
		"cuda-culibos-dev-@":  "",
		"cuda-cuobjdump-@":    "",
		"cuda-cupti-@":        "",
		"cuda-cupti-dev-@":    "cuda-cupti-@",
		"cuda-cuxxfilt-@":     "",
		"cuda-driver-dev-@":   "",
		"cuda-gdb-@":          "",
		"cuda-nvdisasm-@":     "",
		"cuda-nvml-dev-@":     "",
		"cuda-nvprune-@":      "",
		"cuda-nvrtc-@":        "",
		"cuda-nvrtc-dev-@":    "cuda-nvrtc-@",
		"cuda-nvtx-@":         "",
		"cuda-opencl-@":       "",
		"cuda-profiler-api-@": "",
		"cuda-sandbox-dev-@":  "",
		"cuda-sanitizer-@":    "",
		"cuda-cudart-@":       "cuda-toolkit-@-config-common, cuda-toolkit-" + t.major() + "-config-common, cuda-toolkit-config-common",
		"cuda-cudart-dev-@":   "cuda-cudart-@, cuda-driver-dev-@, cuda-cccl-@, cuda-culibos-dev-@",
		"libcublas-@":         "cuda-cudart-@",
		"libcublas-dev-@":     "libcublas-@",

		"cuda-compiler-@":           "cuda-cuobjdump-@, cuda-cuxxfilt-@, cuda-nvcc-@, cuda-nvprune-@",
		"cuda-minimal-build-@":      "cuda-nvcc-@, cuda-cudart-dev-@",
		"cuda-libraries-@":          "cuda-cudart-@, cuda-nvrtc-@, cuda-opencl-@",
		"cuda-libraries-dev-@":      "cuda-cccl-@, cuda-cudart-dev-@, cuda-nvrtc-dev-@, cuda-opencl-@, cuda-profiler-api-@",
		"cuda-command-line-tools-@": "cuda-cupti-dev-@, cuda-gdb-@, cuda-nvdisasm-@, cuda-nvtx-@, cuda-sanitizer-@",
		"cuda-nsight-compute-@":     "",
		"cuda-toolkit-@": "cuda-compiler-@, cuda-libraries-@, cuda-libraries-dev-@, cuda-command-line-tools-@, cuda-nvml-dev-@, " +
			"cuda-nsight-compute-@, cuda-sandbox-dev-@, libcublas-dev-@",
		"cuda-runtime-@": "cuda-libraries-@, nvidia-open",
		"cuda-@":         "cuda-toolkit-@, cuda-runtime-@",
	}
}

// version of a part; those that only gather others have the toolkit's.
func (t toolkit) version(name string) string {
	switch name {
	case "cuda-nvcc-@", "cuda-crt-@", "cuda-nvrtc-@", "cuda-nvrtc-dev-@":
		return t.nvcc + "-1"
	case "cuda-cudart-@", "cuda-cudart-dev-@", "cuda-driver-dev-@":
		return t.cudart + "-1"
	case "cuda-nvml-dev-@":
		if t.patch == "13.0.2" {
			return "13.0.87-1"
		}
	case "cuda-compiler-@", "cuda-minimal-build-@", "cuda-libraries-@", "cuda-libraries-dev-@", "cuda-command-line-tools-@",
		"cuda-nsight-compute-@", "cuda-toolkit-@", "cuda-runtime-@", "cuda-@":
		return t.patch + "-1"
	}
	return t.rest + "-1"
}

func (t toolkit) packages() []deb.Package {
	var all []deb.Package
	fill := strings.NewReplacer("@", t.dashed())
	for name, depends := range t.parts() {
		p := deb.Package{Name: fill.Replace(name), Version: t.version(name), Fields: deb.Fields{{"Section", "multiverse/devel"}}}
		if depends != "" {
			p.Fields = append(p.Fields, [2]string{"Depends", fill.Replace(t.least(depends))})
		}
		if name == "cuda-toolkit-@" && t.json {
			p.Files = []deb.File{{Path: t.prefix() + "/version.json", Text: fmt.Sprintf("{\n   \"cuda\" : {\n      \"name\" : \"CUDA SDK\",\n      \"version\" : %q\n   }\n}\n", t.patch)}}
		}
		if name == "cuda-cudart-@" {
			p.Files = []deb.File{{Path: t.prefix() + "/targets/x86_64-linux/lib/libcudart.so." + t.cudart, Text: "practice lab\n"}}
		}
		all = append(all, p)
	}
	return append(all, t.compiler(), t.links(),
		deb.Package{Name: "cuda-toolkit-" + t.major() + "-config-common", Version: t.cudart + "-1", Architecture: "all"},
		deb.Package{Name: "cuda-toolkit-config-common", Version: t.cudart + "-1", Architecture: "all"},
		deb.Package{Name: "cuda-toolkit-" + t.major(), Version: t.patch + "-1", Fields: deb.Fields{{"Depends", "cuda-toolkit-" + t.dashed()}}},
		deb.Package{Name: "cuda-toolkit", Version: t.patch + "-1", Fields: deb.Fields{{"Depends", "cuda-toolkit-" + t.dashed()}}},
		deb.Package{Name: "cuda", Version: t.patch + "-1", Fields: deb.Fields{{"Depends", "cuda-" + t.dashed()}}},
	)
}

// least wants each part in at least the version of this patch level, so that a newer
// toolkit brings newer parts; as in the real repository nothing keeps them from being newer.
func (t toolkit) least(depends string) string {
	var all []string
	for _, d := range strings.Split(depends, ", ") {
		_, part := t.parts()[d]
		if part || d == "cuda-nvcc-@" {
			d += " (>= " + t.version(d) + ")"
		}
		all = append(all, d)
	}
	return strings.Join(all, ", ")
}

// compiler holds nvcc, which says what it is and compiles nothing.
func (t toolkit) compiler() deb.Package {
	return deb.Package{
		Name: "cuda-nvcc-" + t.dashed(), Version: t.nvcc + "-1",
		Fields: deb.Fields{{"Section", "multiverse/devel"}, {"Depends", "cuda-crt-" + t.dashed()}},
		Files:  []deb.File{{Path: t.prefix() + "/bin/nvcc", Text: t.script(), Mode: 0o755}},
	}
}

func (t toolkit) script() string {
	list := func(kind string) string {
		var b strings.Builder
		for _, a := range strings.Fields(t.archs) {
			b.WriteString(kind + "_" + a + "\n")
		}
		return b.String()
	}
	return `#!/bin/sh
case "$1" in
--version|-V)
cat <<'END'
nvcc: NVIDIA (R) Cuda compiler driver
Copyright (c) 2005-2025 NVIDIA Corporation
Built on ` + t.built + `
Cuda compilation tools, release ` + t.minor + `, V` + t.nvcc + `
Build ` + t.build + `
END
exit 0 ;;
--list-gpu-arch|-arch-ls)
cat <<'END'
` + list("compute") + `END
exit 0 ;;
--list-gpu-code|-code-ls)
cat <<'END'
` + list("sm") + `END
exit 0 ;;
"")
echo 'nvcc fatal   : No input files specified; use option --help for more information' >&2
exit 1 ;;
esac
echo 'nvcc of the practice lab compiles nothing' >&2
exit 1
`
}

// links is the package that sets the alternatives /usr/local/cuda and /usr/local/cuda-13.
func (t toolkit) links() deb.Package {
	priority := strings.ReplaceAll(t.minor, ".", "")
	set := func(name string) string {
		return fmt.Sprintf("update-alternatives --install /usr/local/%s %s %s %s\n", name, name, t.prefix(), priority)
	}
	major := "cuda-" + t.major()
	return deb.Package{
		Name: "cuda-toolkit-" + t.dashed() + "-config-common", Version: t.cudart + "-1", Architecture: "all",
		Files: []deb.File{{Path: "/etc/ld.so.conf.d/" + strings.ReplaceAll(major, "cuda-", "000_cuda-") + ".conf.example", Text: "# practice lab\n"}},
		Scripts: map[string]string{
			"postinst": "mkdir -p " + t.prefix() + "\n" + set("cuda") + set(major),
			"prerm": "if [ \"$1\" = remove ]\nthen\n  update-alternatives --remove cuda " + t.prefix() +
				"\n  update-alternatives --remove " + major + " " + t.prefix() + "\nfi\n",
		},
	}
}

// cudaPackages are all toolkits; compat is the version suffix of cuda-compat, which is a
// driver's library and differs between distributions.
func cudaPackages(compat string) []deb.Package {
	var all []deb.Package
	for _, t := range toolkits() {
		all = append(all, t.packages()...)
	}
	const v = "580.95.05"
	return append(all,
		deb.Package{
			Name: "cuda-compat-13-0", Version: v + compat,
			Files: []deb.File{
				{Path: "/usr/local/cuda-13.0/compat/libcuda.so." + v, Text: "practice lab\n"},
				{Path: "/usr/local/cuda-13.0/compat/libcuda.so.1", Link: "libcuda.so." + v},
			},
		},
		deb.Package{Name: "libcudnn9-headers-cuda-13", Version: "9.14.0.64-1"},
		deb.Package{Name: "libcudnn9-dev-cuda-13", Version: "9.14.0.64-1", Fields: deb.Fields{{"Depends", "libcudnn9-headers-cuda-13"}}},
	)
}

// distributionCUDA is the distribution's own toolkit, in another place and another version.
func distributionCUDA() deb.Package {
	t := toolkit{minor: "12.0", nvcc: "12.0.140", built: "Fri_Jan__6_16:45:21_PST_2023", build: "cuda_12.0.r12.0/compiler.32267302_0", archs: "50 52 60 61 70 75 80 86 89 90"}
	return deb.Package{
		Name: "nvidia-cuda-toolkit", Version: "12.0.140~12.0.1-4build4",
		Files: []deb.File{{Path: "/usr/bin/nvcc", Text: t.script(), Mode: 0o755}},
	}
}

// capturedToolkit are the packages of the recorded H200 machine.
func capturedToolkit() []string {
	return strings.Fields(`cuda-cccl-13-0 cuda-command-line-tools-13-0 cuda-compat-13-0 cuda-compiler-13-0 cuda-crt-13-0
		cuda-cudart-13-0 cuda-cudart-dev-13-0 cuda-culibos-dev-13-0 cuda-cuobjdump-13-0 cuda-cupti-13-0 cuda-cupti-dev-13-0
		cuda-cuxxfilt-13-0 cuda-driver-dev-13-0 cuda-gdb-13-0 cuda-libraries-13-0 cuda-libraries-dev-13-0
		cuda-minimal-build-13-0 cuda-nsight-compute-13-0 cuda-nvcc-13-0 cuda-nvdisasm-13-0 cuda-nvml-dev-13-0
		cuda-nvprune-13-0 cuda-nvrtc-13-0 cuda-nvrtc-dev-13-0 cuda-nvtx-13-0 cuda-opencl-13-0 cuda-profiler-api-13-0
		cuda-sandbox-dev-13-0 cuda-sanitizer-13-0 cuda-toolkit-13-0-config-common cuda-toolkit-13-config-common
		cuda-toolkit-config-common libcudnn9-dev-cuda-13 libcudnn9-headers-cuda-13`)
}
