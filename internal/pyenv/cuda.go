package pyenv

import (
	"regexp"
	"slices"
	"strings"
)

// Torch is what torch/version.py says. The folder of the distribution says less: torch
// 2.11.0+cu130 may be installed as 2.11.0.
type Torch struct {
	There   bool
	Version string // "2.11.0+cu130"
	CUDA    string // "13.0", "" for a build without CUDA
	Trouble string // why the file could not be understood, "" when it was
}

var (
	torchVersion = regexp.MustCompile(`(?m)^__version__\b[^=\n]*=\s*['"]([0-9][^'"\s]*)['"]`)
	torchCUDA    = regexp.MustCompile(`(?m)^cuda\b[^=\n]*=\s*(?:['"]([0-9]+(?:\.[0-9]+)*)['"]|(None))`)
)

func readTorch(text string) Torch {
	t := Torch{There: true}
	version, cuda := torchVersion.FindStringSubmatch(text), torchCUDA.FindStringSubmatch(text)
	if version == nil || cuda == nil {
		t.Trouble = "torch/version.py does not say version and CUDA in a form that is known"
		return t
	}
	t.Version, t.CUDA = version[1], cuda[1]
	return t
}

// Major is the CUDA major that torch was built for, "13"; "" for none.
func (t Torch) Major() string {
	major, _, _ := strings.Cut(t.CUDA, ".")
	return major
}

// Minor is the release of torch without its patch level, "2.11", to which binaries built
// against it are bound.
func (t Torch) Minor() string { return Minor(t.Version) }

// Minor is a version without its patch level and local part: "2.11" of "2.11.0+cu130".
func Minor(version string) string {
	release, _, _ := strings.Cut(version, "+")
	parts := strings.Split(release, ".")
	return strings.Join(parts[:min(2, len(parts))], ".")
}

var cudaSuffix = regexp.MustCompile(`-cu(\d{2})$`)

// bare are libraries of CUDA whose distributions have no suffix since CUDA 13, and whose
// own version starts with the major of CUDA.
var bare = []string{"nvidia-cublas", "nvidia-cuda-runtime", "nvidia-cuda-nvrtc", "nvidia-cuda-cupti"}

// CUDAMajor is the CUDA major that a distribution is made for, by its normalised name
// and its version; "" where these do not tell.
func CUDAMajor(name, version string) string {
	if m := cudaSuffix.FindStringSubmatch(name); m != nil {
		return m[1]
	}
	if !slices.Contains(bare, name) {
		return ""
	}
	major, _, _ := strings.Cut(version, ".")
	return major
}

// CUDAMajors maps the CUDA majors of what is installed to the names that show them.
func (e Env) CUDAMajors() map[string][]string {
	majors := map[string][]string{}
	for name, dists := range e.Dists {
		for _, d := range dists {
			if m := CUDAMajor(name, d.Version); m != "" && !slices.Contains(majors[m], name) {
				majors[m] = append(majors[m], name)
			}
		}
	}
	for m := range majors {
		slices.Sort(majors[m])
	}
	return majors
}
