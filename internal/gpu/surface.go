package gpu

import (
	"fmt"
	"strings"

	"github.com/pdprov/pdprov/stages/stage"
)

// Surface is the box as flat paths ("gpu.0.uuid"), as audit shows installed state. The
// number is the place in order of PCI address.
func (b Box) Surface() stage.Surface {
	s := stage.Surface{
		"gpu.count": b.Count, "gpu.nvswitches": b.Switches, "gpu.holders": b.Holders,
		"driver.loaded": b.Driver.Loaded, "driver.flavour": b.Driver.Flavour, "driver.srcversion": b.Driver.SrcVersion,
		"driver.library": b.Driver.Library,
	}
	for i, g := range b.GPUs {
		at := func(name string) string { return fmt.Sprintf("gpu.%d.%s", i, name) }
		s[at("index")], s[at("uuid")], s[at("pci")] = g.Index, g.UUID, stage.Is(g.PCI)
		s[at("name")], s[at("memory_mib")], s[at("compute_capability")] = g.Name, g.MemoryMiB, g.Capability
		s[at("mig")], s[at("ecc")], s[at("persistence")] = g.MIG, g.ECC, g.Persistence
		s[at("numa_node")], s[at("cpus")], s[at("minor")] = g.Node, g.CPUs, g.Minor
		s[at("bound_driver")], s[at("link_width")] = g.Bound, g.LinkWidth
		s[at("recovery_action")], s[at("compute_mode")] = g.Recovery, g.ComputeMode
		s[at("mig_pending")], s[at("ecc_pending")] = g.PendingMIG, g.PendingECC
		s[at("held_by")] = b.HeldBy(g)
	}
	for _, n := range b.Nodes {
		s["numa."+n.ID+".cpus"], s["numa."+n.ID+".free_kib"] = n.CPUs, n.FreeKiB
	}
	return s
}

// Doubts gathers the unknown values by their reasons, in order of the first path.
func Doubts(s stage.Surface) []Doubt {
	list := []Doubt{}
	at := map[string]int{} // by reason
	for _, path := range s.Paths() {
		v := s[path]
		if v.State != stage.Unknown {
			continue
		}
		i, known := at[v.Reason]
		if !known {
			i = len(list)
			at[v.Reason] = i
			list = append(list, Doubt{Probe: v.Probe, Reason: v.Reason})
		}
		list[i].Paths = append(list[i].Paths, path)
	}
	return list
}

// String names a process as people look for it: "python3 (4711)".
func (p Process) String() string {
	name := "process"
	if p.Name.State == stage.Present {
		name = p.Name.Text
	}
	return name + " (" + p.PID + ")"
}

// HeldBy names the processes that hold a GPU: "python3 (4711)"; None is nobody.
func (b Box) HeldBy(g GPU) stage.Value {
	if b.Holders.State != stage.Present {
		return b.Holders
	}
	if g.UUID.State != stage.Present && len(b.Processes) > 0 {
		return g.UUID
	}
	var names []string
	for _, p := range b.Processes {
		if strings.HasPrefix(p.GPU, "MIG-") && g.MIG.Text != "Disabled" {
			return unknown(processesID, "a process holds a MIG instance, whose GPU nvidia-smi does not tell")
		}
		if p.GPU != g.UUID.Text {
			continue
		}
		names = append(names, p.String())
	}
	if len(names) == 0 {
		return stage.Nothing()
	}
	return stage.Is(strings.Join(names, ", "))
}
