package driver

import (
	"strings"

	"github.com/pdprov/pdprov/stages/stage"
)

// Places of the services in the answer to the question about them.
const (
	persistencedBlock = iota
	fabricManagerBlock
)

const running = "running"

// service is "running", or what systemd says of a service instead; None where there is none.
func service(f stage.Facts, block int) stage.Value {
	a := f.Get(servicesID)
	if a.Outcome != stage.Answered {
		return a.Unknown(servicesID)
	}
	fields := map[string]string{}
	if blocks := strings.Split(strings.TrimSpace(string(a.Body)), "\n\n"); block < len(blocks) {
		for line := range strings.Lines(blocks[block]) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
			fields[name] = value
		}
	}
	switch load, active, file := fields["LoadState"], fields["ActiveState"], fields["UnitFileState"]; {
	case load == "not-found":
		return stage.Nothing()
	case load == "" || active == "":
		return stage.Value{Reason: "systemctl did not tell the state of the driver's services", Probe: servicesID}
	case active != "active":
		return stage.Is(active)
	case file == "enabled" || file == "static" || file == "enabled-runtime":
		return stage.Is(running)
	default:
		return stage.Is("running, not started at boot (" + file + ")")
	}
}

// fabricManagerService is that of a host with NVSwitches; None where none is needed.
func (h host) fabricManagerService(f stage.Facts) stage.Value {
	switch {
	case h.box.Switches.State == stage.Unknown:
		return h.box.Switches
	case !h.switches():
		return stage.Nothing()
	}
	return service(f, fabricManagerBlock)
}

func (h host) wantedFabricManagerService() stage.Value {
	if h.switches() {
		return fromHost(stage.Is(running))
	}
	return fromHost(stage.Nothing())
}
