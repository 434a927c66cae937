package view

import (
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
		o.line("  NVIDIA driver ", gpuCell(b.Driver.Loaded), " loaded, library ", gpuCell(b.Driver.Library), ", ", gpuCell(b.Switches), " NVSwitches")
		o.gpuTable(b)
	}
	told := map[string]bool{}
	for _, g := range b.Unanswered {
		told[g.Reason] = true
		o.line("    unknown: ", Escape(g.Probe), ": ", Escape(g.Reason))
	}
	for _, d := range b.Unknown {
		if len(b.GPUs) > 0 && !told[d.Reason] {
			o.line("    ?: ", doubted(d.Paths), ": ", Escape(d.Reason))
		}
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

func (o *output) gpuTable(b gpu.Box) {
	rows := [][]string{{"    GPU", "UUID", "PCI", "name", "MiB", "cap.", "MIG", "ECC", "NUMA", "CPUs", "held by"}}
	for _, g := range b.GPUs {
		rows = append(rows, []string{
			"    " + gpuCell(g.Index), gpuCell(g.UUID), g.PCI, gpuCell(g.Name), gpuCell(g.MemoryMiB), gpuCell(g.Capability),
			gpuCell(g.MIG), gpuCell(g.ECC), gpuCell(g.Node), gpuCell(g.CPUs), gpuCell(b.HeldBy(g)),
		})
	}
	o.table(rows)
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
