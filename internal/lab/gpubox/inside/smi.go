package inside

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/pdprov/pdprov/internal/lab/gpubox"
)

// library is the version of the library that a link in the usual places leads to: those
// of Debian's packages and of RPMs.
func library() string {
	for _, dir := range []string{gpubox.Libraries, "/usr/lib64"} {
		target, err := os.Readlink(dir + "/libnvidia-ml.so.1")
		if err != nil {
			continue
		}
		if _, err := os.Stat(dir + "/" + target); err == nil {
			return strings.TrimPrefix(target, "libnvidia-ml.so.")
		}
	}
	return ""
}

// twoParts is a version as NVML says it: without the third part.
func twoParts(version string) string {
	return strings.Join(strings.SplitN(version, ".", 3)[:min(2, strings.Count(version, ".")+1)], ".")
}

// smi is nvidia-smi: as the real one it looks for its library, then for the module, then
// for a module of the library's version. Its errors go to stdout.
func smi(args []string) int {
	lib, s, m := library(), load(), machine()
	if status, done := smiFault(); done {
		return status
	}
	if lib == "" {
		fmt.Println("NVIDIA-SMI couldn't find libnvidia-ml.so library in your system. Please make sure that the NVIDIA Display Driver is properly installed and present in your system.\nPlease also try adding directory that contains libnvidia-ml.so to your system PATH.")
		return 12
	}
	driver, loaded := s.module("nvidia")
	if !loaded {
		fmt.Print(notRunning)
		return 9
	}
	if driver.Version != lib {
		fmt.Printf("Failed to initialize NVML: Driver/library version mismatch\nNVML library version: %s\n", twoParts(lib))
		return 18
	}
	if !s.works(m) {
		fmt.Println("No devices were found")
		return 6
	}
	c, ok := parseSMI(args)
	if !ok {
		fmt.Printf("Invalid combination of input arguments. Please run 'nvidia-smi -h' for help.\n\n")
		return 2
	}
	return c.answer(m, driver.Version)
}

func (c smiCall) answer(m gpubox.Machine, version string) int {
	gpus := numbered(m)
	if c.id != "" {
		gpus = slices.DeleteFunc(gpus, func(g indexed) bool { return !g.is(c.id) })
		if len(gpus) == 0 {
			fmt.Println("No devices were found")
			return 6
		}
	}
	switch {
	case c.version:
		printVersion(version)
	case c.query != "":
		return c.queryGPU(gpus, version)
	case c.apps != "":
		return c.queryApps(gpus)
	case c.list:
		for _, g := range gpus {
			fmt.Printf("GPU %d: %s (UUID: %s)\n", g.index, g.Name, g.UUID)
		}
	case c.topology != "":
		return topology(c.topology, gpus)
	case c.nvlink:
	case c.xml:
		printXML(gpus, version)
	default:
		printBanner(gpus, version)
	}
	return 0
}

// indexed is a GPU with the number that nvidia-smi gives it.
type indexed struct {
	gpubox.GPU
	index int
}

func (g indexed) is(id string) bool {
	return id == fmt.Sprint(g.index) || id == g.UUID || strings.EqualFold(id, g.bus()) || strings.EqualFold(id, g.Address)
}

// bus is the address in nvidia-smi's form.
func (g indexed) bus() string { return "0000" + strings.ToUpper(g.Address) }

func numbered(m gpubox.Machine) []indexed {
	var gpus []indexed
	for i, g := range reordered(m.GPUs) {
		gpus = append(gpus, indexed{g, i})
	}
	return gpus
}

const notRunning = "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA driver is installed and running.\n\n"
