package view

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pdprov/pdprov/internal/gpu"
	"github.com/pdprov/pdprov/stages/stage"
)

// gpus is the table of a host's GPUs, and what of it could not be asked.
func (o *output) gpus(b gpu.Box) {
	switch {
	case b.Count.State != stage.Present && len(b.GPUs) == 0:
		o.line("  GPUs: ", gpuCell(b.Count), "   ", Escape(b.Count.Reason))
	case len(b.GPUs) == 0:
		o.line("  no NVIDIA GPU on the bus")
	default:
		o.line("  ", count(len(b.GPUs), "GPU"), " and ", gpuCell(b.Switches), " NVSwitches. ", gpuOrder)
		o.gpuTable(b.Surface())
	}
	o.unanswered(b.Unanswered)
	told := map[string]bool{}
	for _, g := range b.Unanswered {
		told[g.Reason] = true
	}
	if len(b.GPUs) > 0 {
		o.doubts(slices.DeleteFunc(slices.Clone(b.Unknown), func(d gpu.Doubt) bool { return told[d.Reason] }))
	}
}

const gpuOrder = `They are in order of PCI address, as gpu.N and as CUDA with CUDA_DEVICE_ORDER=PCI_BUS_ID; "smi" is the index that nvidia-smi uses.`

// unanswered lists the questions without a usable answer, those of one reason together.
func (o *output) unanswered(gaps []gpu.Gap) {
	var reasons []string
	probes := map[string][]string{}
	for _, g := range gaps {
		if probes[g.Reason] == nil {
			reasons = append(reasons, g.Reason)
		}
		probes[g.Reason] = append(probes[g.Reason], g.Probe)
	}
	for _, r := range reasons {
		o.line("    unknown: ", Escape(strings.Join(probes[r], ", ")), ": ", Escape(r))
	}
}

// doubts says why values are unknown.
func (o *output) doubts(list []gpu.Doubt) {
	for _, d := range list {
		o.line("    ?: ", doubted(d.Paths), ": ", Escape(d.Reason))
	}
}

// doubted names the values of one reason: the first few of what may be one for each GPU.
func doubted(paths []string) string {
	const shown = 3
	text := Escape(strings.Join(paths[:min(len(paths), shown)], ", "))
	if len(paths) > shown {
		text += " and " + strconv.Itoa(len(paths)-shown) + " more"
	}
	return text
}

// gpuColumns are the values of a GPU that its row shows, by their titles.
var gpuColumns = []struct{ title, name string }{
	{"smi", "index"},
	{"UUID", "uuid"},
	{"PCI", "pci"},
	{"name", "name"},
	{"MiB", "memory_mib"},
	{"cap.", "compute_capability"},
	{"MIG", "mig"},
	{"ECC", "ecc"},
	{"NUMA", "numa_node"},
	{"CPUs", "cpus"},
	{"held by", "held_by"},
}

// gpuTable has a row for each gpu.N of a surface.
func (o *output) gpuTable(s stage.Surface) {
	head := []string{"    GPU"}
	for _, c := range gpuColumns {
		head = append(head, c.title)
	}
	rows := [][]string{head}
	for n := range gpuCount(s) {
		row := []string{"    gpu." + strconv.Itoa(n)}
		for _, c := range gpuColumns {
			row = append(row, gpuCell(s[gpuPath(n, c.name)]))
		}
		rows = append(rows, row)
	}
	o.table(rows)
}

func gpuPath(n int, name string) string { return "gpu." + strconv.Itoa(n) + "." + name }

// gpuCount is how many GPUs a surface has, which it numbers from 0 on.
func gpuCount(s stage.Surface) (n int) {
	for {
		if _, there := s[gpuPath(n, "pci")]; !there {
			return n
		}
		n++
	}
}

// gpuCell is a value in a table, where "-" is none and "?" unknown.
func gpuCell(v stage.Value) string {
	switch v.State {
	case stage.None:
		return "-"
	case stage.Unknown:
		return "?"
	}
	return value(v)
}
