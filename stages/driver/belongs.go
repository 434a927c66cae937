package driver

import (
	"path"
	"slices"
	"strings"

	"github.com/pdprov/pdprov/internal/apt"
)

// notOfDriver are names that fit those of the driver and are other things: the container
// toolkit's library, and preferences of apt that bring nothing of a driver. Steps get this
// and the lists below from constants.
var notOfDriver = []string{"libnvidia-container*", pinningPrefix + "*"}

// fits says whether a name fits one of the patterns.
func fits(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		ok, _ := path.Match(p, name)
		return ok
	})
}

// belongs says whether a package is of the driver. A name alone does not tell, since
// NVIDIA's other software and people's own have such names too, nor does a version.
func belongs(names []string, name, version string) bool {
	name = apt.Base(name)
	if !fits(names, name) || fits(notOfDriver, name) {
		return false
	}
	return strings.HasPrefix(name, prebuiltPrefix) || versionForm.MatchString(upstream(version))
}

// companions work with a driver of any version. Distributions release them apart from it,
// so that one of another version is no deviation and may never get the driver's.
var companions = []string{
	"nvidia-settings", "nvidia-modprobe", "nvidia-persistenced", "nvidia-xconfig",
	"nvidia-libXNVCtrl", "nvidia-libXNVCtrl-devel",
}

// ownVersions are packages that never have the driver's version, or whose service does not
// need it: prebuilt modules and fabric managers.
var ownVersions = []string{prebuiltPrefix + "*", fabricManagerName + "*", olderFabricManagerName + "*"}

// apart says whether a package is a companion, or one with its version in its name, such
// as Ubuntu's nvidia-firmware-580-580.95.05: those of older drivers stay beside it.
func apart(p part) bool {
	name := apt.Base(p.Name)
	return slices.Contains(companions, name) || strings.HasSuffix(name, "-"+upstream(p.Version.Text))
}

// constants are the same names for the functions of steps.
func constants(names []string) string {
	return "driver_names='" + strings.Join(names, " ") + "'\nnot_of_driver='" + strings.Join(notOfDriver, " ") +
		"'\ndriver_companions='" + strings.Join(companions, " ") + "'\nown_versions='" + strings.Join(ownVersions, " ") +
		"'\ndriver_holds='" + recordDir + "/" + holdsFile + "'\n"
}
