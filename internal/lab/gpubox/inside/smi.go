package inside

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/pdprov/pdprov/internal/lab/gpubox"
)

// smiCall is a command line of nvidia-smi.
type smiCall struct {
	query, format string // --query-gpu and --format
	apps          string // --query-compute-apps
	id            string // -i
	list, xml     bool
	version       bool
	topology      string // "m", "p2p"
	nvlink        bool
}

func parseSMI(args []string) (smiCall, bool) {
	var c smiCall
	for i := 0; i < len(args); i++ {
		name, value, joined := strings.Cut(args[i], "=")
		next := func() string {
			if joined {
				return value
			}
			i++
			return strings.Join(args[min(i, len(args)):min(i+1, len(args))], "")
		}
		switch name {
		case "--query-gpu":
			c.query = next()
		case "--query-compute-apps":
			c.apps = next()
		case "--format":
			c.format = next()
		case "-i", "--id":
			c.id = next()
		case "-L", "--list-gpus":
			c.list = true
		case "-x", "--xml-format":
			c.xml = true
		case "--version":
			c.version = true
		case "topo":
			c.topology = "m"
		case "-p2p", "--p2p_status":
			c.topology = "p2p" + next()
		case "nvlink":
			c.nvlink = true
		case "-q", "--query", "-m", "--matrix", "-s", "--status":
		default:
			return c, false
		}
	}
	return c, true
}

// library is the version of the library that a link in the usual place leads to.
func library() string {
	target, err := os.Readlink(gpubox.Libraries + "/libnvidia-ml.so.1")
	if err != nil {
		return ""
	}
	if _, err := os.Stat(gpubox.Libraries + "/" + target); err != nil {
		return ""
	}
	return strings.TrimPrefix(target, "libnvidia-ml.so.")
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

// cuda is the newest CUDA that a driver runs.
func cuda(version string) string {
	branch, _, _ := strings.Cut(version, ".")
	known := map[string]string{"570": "12.8", "575": "12.9", "580": "13.0", "590": "13.1", "595": "13.2", "610": "13.3"}
	return known[branch]
}

func printVersion(v string) {
	if set("smi-banner") == "r610" {
		fmt.Printf("NVIDIA-SMI version  : %s\nNVML version        : %s\nKMD version         : %s\nCUDA UMD version    : %s\n", v, twoParts(v), v, cuda(v))
		return
	}
	fmt.Printf("NVIDIA-SMI version  : %s\nNVML version        : %s\nDRIVER version      : %s\nCUDA Version        : %s\n", v, twoParts(v), v, cuda(v))
}

func printBanner(gpus []indexed, v string) {
	line := "+-----------------------------------------------------------------------------------------+"
	fmt.Println("Wed Dec  2 12:00:00 2026       \n" + line)
	if set("smi-banner") == "r610" {
		fmt.Printf("| NVIDIA-SMI %-22s KMD Version: %-13s CUDA UMD Version: %-9s|\n", v, v, cuda(v))
	} else {
		fmt.Printf("| NVIDIA-SMI %-22sDriver Version: %-14s CUDA Version: %-8s |\n", v, v, cuda(v))
	}
	fmt.Println("+-----------------------------------------+------------------------+----------------------+")
	for _, g := range gpus {
		fmt.Printf("| %3d  %-32.32s On  |   %s Off |                    0 |\n", g.index, g.Name, g.bus())
	}
	fmt.Println("+-----------------------------------------+------------------------+----------------------+")
}

const notRunning = "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA driver is installed and running.\n\n"
