package inside

import (
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/pdprov/pdprov/internal/lab/gpubox"
)

func installedOf(names []string) []string {
	var found []string
	for _, n := range names {
		if slices.Equal(output("dpkg-query", "--show", "--showformat=${db:Status-Status}", n), []string{"installed"}) {
			found = append(found, n)
		}
	}
	return found
}

func installedVersion(name string) string {
	return strings.Join(output("dpkg-query", "--show", "--showformat=${Version}", name), "")
}

func setKernel(value string) error {
	next := nextKernel()
	image, headers := "linux-image-"+next, "linux-headers-"+next
	if value == "none" {
		if err := purge(image, headers); err != nil {
			return err
		}
		return errors.Join(os.RemoveAll("/lib/modules/"+next), remember("/boot/initrd.img-"+next, ""))
	}
	words := []string{"install", "-y", image}
	if value == "with-headers" {
		words = append(words, headers)
	}
	if err := must("apt-get", "update"); err != nil {
		return err
	}
	return must("apt-get", words...)
}

// purge removes those packages that are there.
func purge(names ...string) error {
	if names = installedOf(names); len(names) == 0 {
		return nil
	}
	return must("apt-get", append([]string{"purge", "-y"}, names...)...)
}

func setFabricManager(value string) error {
	const name = "nvidia-fabricmanager"
	if value == "none" {
		return purge(name)
	}
	driver, _ := load().module("nvidia")
	fields := output("apt-cache", "madison", name)
	for i, f := range fields {
		if f == name && i+2 < len(fields) && !strings.HasPrefix(fields[i+2], driver.Version+"-") {
			return must("apt-get", "install", "-y", "--allow-downgrades", name+"="+fields[i+2])
		}
	}
	return errors.New("no repository has a fabric manager of another version; configure NVIDIA's and run apt-get update")
}

// driverSet are the installed packages of a driver.
func driverSet() []string {
	return output("dpkg-query", "--show", "--showformat=${Package}\n", "nvidia-*", "libnvidia-*", "libcuda1", "cuda-drivers*")
}

func setHold(value string) error {
	all := installedOf(driverSet())
	if len(all) == 0 {
		return errors.New("no package of a driver is installed")
	}
	if err := must("apt-mark", append([]string{"unhold"}, all...)...); err != nil || value == "none" {
		return err
	}
	if value == "gap" {
		all = slices.DeleteFunc(all, func(n string) bool { return strings.HasPrefix(n, "lib") })
	}
	return must("apt-mark", append([]string{"hold"}, all...)...)
}

// setSource writes the second source with the archive's key: the same in substance, but
// apt compares the option's text.
func setSource(value string) error {
	const file = "/etc/apt/sources.list.d/nvidia-by-hand.list"
	if value == "none" {
		return remember(file, "")
	}
	archive, err := os.ReadFile("/etc/apt/sources.list.d/pdlab-archive.list")
	if err != nil {
		return err
	}
	return remember(file, strings.Replace(string(archive), "/archive ", "/"+gpubox.CUDAPath(profile())+" ", 1))
}
