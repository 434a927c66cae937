package inside

import (
	"fmt"
	"strings"
)

const legend = `
Legend:

  X    = Self
  SYS  = Connection traversing PCIe as well as the SMP interconnect between NUMA nodes (e.g., QPI/UPI)
  NODE = Connection traversing PCIe as well as the interconnect between PCIe Host Bridges within a NUMA node
  PHB  = Connection traversing PCIe as well as a PCIe Host Bridge (typically the CPU)
  PXB  = Connection traversing multiple PCIe bridges (without traversing the PCIe Host Bridge)
  PIX  = Connection traversing at most a single PCIe bridge
  NV#  = Connection traversing a bonded set of # NVLinks
`

// topology prints the matrix, with the real one's escape codes and its wrong CPU list.
func topology(kind string, gpus []indexed) int {
	under, plain := "\x1b[4m", "\x1b[0m"
	if set("smi-ansi") == "off" {
		under, plain = "", ""
	}
	var names []string
	for _, g := range gpus {
		names = append(names, fmt.Sprintf("GPU%d", g.index))
	}
	if kind != "m" {
		return p2p(strings.TrimPrefix(kind, "p2p"), gpus, names, under, plain)
	}
	fmt.Printf("\t%s%s\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID%s\n", under, strings.Join(names, "\t"), plain)
	for i, g := range gpus {
		fmt.Print(names[i])
		for j, other := range gpus {
			fmt.Print("\t" + link(g, other, i == j))
		}
		node := max(g.Node, 0)
		fmt.Printf("\t%s\t%d\t\tN/A\n", strings.TrimSuffix(g.CPUs, ",240-255"), node)
	}
	fmt.Print(legend)
	return 0
}

// link is how two GPUs of the box reach each other: pairs share a bridge.
func link(a, b indexed, self bool) string {
	switch {
	case self:
		return " X "
	case a.Node != b.Node:
		return "SYS"
	case pair(a) == pair(b):
		return "PIX"
	}
	return "NODE"
}

// pair is the high digit of the bus number: 06 and 07, f4 and f5.
func pair(g indexed) string { return g.Address[5:6] }

// p2p prints what GPUs may do with each other's memory.
func p2p(what string, gpus []indexed, names []string, under, plain string) int {
	if what == "" || !strings.Contains("rwnap", what) {
		fmt.Printf("Invalid combination of input arguments. Please run 'nvidia-smi -h' for help.\n\n")
		return 2
	}
	status := "OK"
	if what == "n" {
		status = "NS"
	}
	fmt.Printf(" \t%s%s\t%s\n", under, strings.Join(names, "\t"), plain)
	for i := range gpus {
		fmt.Printf(" %s", names[i])
		for j := range gpus {
			if i == j {
				fmt.Print("\tX")
				continue
			}
			fmt.Print("\t" + status)
		}
		fmt.Println("\t")
	}
	fmt.Print("\nLegend:\n\n  X    = Self\n  OK   = Status Ok\n  CNS  = Chipset not supported\n  GNS  = GPU not supported\n  TNS  = Topology not supported\n  NS   = Not supported\n  U    = Unknown\n")
	return 0
}
