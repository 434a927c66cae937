// Package cuda is the kind "cuda": CUDA toolkits in exact minor versions, side by side,
// and which of them /usr/local/cuda leads to.
package cuda

import (
	"strings"

	"github.com/pdprov/pdprov/internal/apt"
	"github.com/pdprov/pdprov/internal/dnf"
	"github.com/pdprov/pdprov/internal/gpu"
	"github.com/pdprov/pdprov/internal/nvrepo"
	"github.com/pdprov/pdprov/internal/osrelease"
	"github.com/pdprov/pdprov/stages/stage"
)

// Kind is the kind "cuda".
type Kind struct{}

// Name is the word after `stage` in a plan file.
func (Kind) Name() string { return "cuda" }

// Summary is one sentence for people.
func (Kind) Summary() string {
	return "CUDA toolkits from NVIDIA's package repository, in exact minor versions side by side; nothing is removed."
}

// Sets of packages.
const (
	full     = "full"
	compiler = "compiler"
)

// Schema lists the attributes of a block.
func (Kind) Schema() []stage.Attr {
	return append([]stage.Attr{
		{Name: "versions", Type: stage.StringList, Required: true, Doc: "Toolkits that must be installed, with their minor version: [\"13.0\"]. The patch level is the newest that the repository has when the toolkit is installed."},
		{Name: "packages", Type: stage.String, Default: full, OneOf: []string{full, compiler}, Doc: "full: cuda-toolkit-X-Y with everything; compiler: nvcc and the headers and libraries that building from source needs (cuda-compiler, cuda-nvcc, cuda-cudart-dev, cuda-libraries-dev)."},
		{Name: "default", Type: stage.String, Doc: "The version that /usr/local/cuda leads to, chosen by hand so that no newer toolkit takes its place; unset: the link is left as it is."},
		{Name: "driver", Type: stage.Ref, Kinds: []string{"driver"}, Doc: "The stage that installs the driver: the toolkits are held against the driver that it brings, not against the one that is there before."},
		{Name: "driver_check", Type: stage.Bool, Default: true, Doc: "true: a driver that is too old for a toolkit is an error, an unknown one a warning; false: the driver is not looked at."},
	}, nvrepo.Attrs()...)
}

// Paths of the surface beside those of nvrepo: toolkit.X.Y, package.NAME, package.NAME.state.
const (
	toolkitPath = "toolkit."
	packagePath = "package."
	statePath   = ".state"
	defaultPath = "default"
	choicePath  = "default.choice"
)

// metapackage brings the newest toolkit, and a driver.
const metapackage = "cuda"

// wish is a decoded block.
type wish struct {
	versions []string
	set      string
	standard string // "" leaves the link alone
}

func wishOf(c stage.Config) wish {
	return wish{versions: c.List("versions"), set: c.Text("packages"), standard: c.Text("default")}
}

// packages are the names of the packages of a version.
func (w wish) packages(version string) []string {
	dashed := strings.ReplaceAll(version, ".", "-")
	if w.set == full {
		return []string{nvccPackage(version), "cuda-toolkit-" + dashed}
	}
	return []string{"cuda-compiler-" + dashed, "cuda-cudart-dev-" + dashed, "cuda-libraries-dev-" + dashed, nvccPackage(version)}
}

// nvccPackage is the package that brings nvcc itself; it is a part of each set.
func nvccPackage(version string) string {
	return "cuda-nvcc-" + strings.ReplaceAll(version, ".", "-")
}

func (w wish) all() (names []string) {
	for _, v := range w.versions {
		names = append(names, w.packages(v)...)
	}
	return names
}

// Probes asks what is installed, by dpkg or rpm and in /usr/local, where it would come
// from, and which driver and GPUs the host has. Which package manager a host has is known
// with the answers only.
func (Kind) Probes(in stage.Instance) []stage.Probe {
	probes := append([]stage.Probe{toolkitsProbe(), osrelease.Probe()}, nvrepo.Probes()...)
	names := append(wishOf(in.Config).all(), metapackage)
	probes = append(probes, apt.Probes(append(names, distribution)...)...)
	probes = append(probes, dnf.Probes(names...)...)
	return append(probes, gpu.Basics()...)
}

// Claims says which packages are to be there and where the link leads.
func (Kind) Claims(in stage.Instance) map[stage.Resource]string {
	claims := map[stage.Resource]string{}
	w := wishOf(in.Config)
	for _, name := range w.all() {
		claims[apt.Resource(name)] = "installed"
	}
	if w.standard != "" {
		claims["path:/usr/local/cuda"] = "a link to CUDA " + w.standard + "."
	}
	nvrepo.Claims(in, claims)
	return claims
}
