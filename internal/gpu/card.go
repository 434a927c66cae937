package gpu

import (
	"fmt"
	"regexp"

	"github.com/pdprov/pdprov/stages/stage"
)

// gpu puts together what the bus, the driver's files and nvidia-smi say of one GPU.
func (r *reader) gpu(address string) GPU {
	g := GPU{PCI: address}
	r.fromBus(&g)
	core, more := r.row(smiID, address), r.row(moreID, address)
	g.Index = core("index", numberForm)
	g.UUID, g.Name, g.Minor = r.identity(address, core)
	g.MemoryMiB = core("memory.total", numberForm)
	g.Capability = core("compute_cap", capabilityForm)
	g.MIG = core("mig.mode.current", onOffForm)
	g.ECC = core("ecc.mode.current", onOffForm)
	g.Persistence = core("persistence_mode", onOffForm)
	g.ComputeMode = more("compute_mode", wordForm)
	g.Recovery = more("gpu_recovery_action", wordForm)
	g.PendingECC = more("ecc.mode.pending", onOffForm)
	g.PendingMIG = more("mig.mode.pending", onOffForm)
	return g
}

// row gives the fields of one GPU in a query, or why there are none.
func (r *reader) row(id, address string) func(string, *regexp.Regexp) stage.Value {
	for _, row := range r.rows[id] {
		if row.address == address {
			return row.value
		}
	}
	why, missing := r.why[id]
	if !missing {
		why = unknown(id, "nvidia-smi does not list "+address)
	}
	return func(string, *regexp.Regexp) stage.Value { return why }
}

func (r *reader) fromBus(g *GPU) {
	for _, d := range r.devices {
		if d.address != g.PCI {
			continue
		}
		g.Bound, g.Device = d.bound(), d.value("device")
		g.LinkWidth, g.LinkSpeed = d.value("current_link_width"), d.value("current_link_speed")
		g.Node = r.numa.place(d)
		if why, missing := r.why[numaID]; missing {
			g.Node = why
		}
		g.CPUs = r.numa.cpusOf(g.Node)
		return
	}
	why, missing := r.why[pciID]
	if !missing {
		why = unknown(pciID, "the PCI bus does not show "+g.PCI)
	}
	g.Bound, g.Device, g.LinkWidth, g.LinkSpeed, g.Node, g.CPUs = why, why, why, why, why, why
}

// identity reads UUID, name and minor from nvidia-smi and from the driver's own files,
// which work without NVML. Where both tell a UUID they must agree.
func (r *reader) identity(address string, core func(string, *regexp.Regexp) stage.Value) (uuid, name, minor stage.Value) {
	uuid, name = core("uuid", uuidForm), core("name", nameForm)
	minor = unknown(driverID, "the driver's files show no minor number")
	if why, missing := r.why[driverID]; missing {
		minor = why
	}
	for _, c := range r.driver.cards {
		if c.address != address {
			continue
		}
		if numberForm.MatchString(c.minor) {
			minor = stage.Is(c.minor)
		}
		if name.State != stage.Present && nameForm.MatchString(c.model) {
			name = stage.Is(c.model)
		}
		switch {
		case !uuidForm.MatchString(c.uuid): // "GPU-????????-..." before first use
		case uuid.State != stage.Present:
			uuid = stage.Is(c.uuid)
		case uuid.Text != c.uuid:
			uuid = unknown(driverID, fmt.Sprintf("nvidia-smi says %s and the driver's files say %s", uuid.Text, c.uuid))
		}
	}
	return uuid, name, minor
}
