package inside

import (
	"fmt"
	"strings"
)

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
		fmt.Printf("| NVIDIA-SMI %-23sDriver Version: %-14s CUDA Version: %-8s |\n", v, v, cuda(v))
	}
	fmt.Println("+-----------------------------------------+------------------------+----------------------+")
	for _, g := range gpus {
		fmt.Printf("| %3d  %-32.32s On  |   %s Off |                    0 |\n", g.index, g.Name, g.bus())
	}
	fmt.Println("+-----------------------------------------+------------------------+----------------------+")
}
