package driver

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/pdprov/pdprov/internal/record"
	"github.com/pdprov/pdprov/stages/stage"
)

// device is one of NVIDIA's on the PCI bus.
type device struct {
	address string // "0000:f4:00.0"
	id      int64  // 0x2bb5
	driver  string // "none" when no driver is bound
}

// bus is what is on the PCI bus, driver or not.
type bus struct {
	gpus     []device
	switches int // NVSwitches
	unknown  *stage.Value
}

func readBus(f stage.Facts) bus {
	a := f.Get(busID)
	if a.Outcome != stage.Answered {
		v := a.Unknown(busID)
		return bus{unknown: &v}
	}
	b, err := parseBus(a.Body)
	if err != nil {
		v := stage.Value{Reason: "the PCI bus could not be read: " + err.Error(), Probe: busID}
		return bus{unknown: &v}
	}
	return b
}

func parseBus(body []byte) (b bus, err error) {
	records, err := record.Parse(body)
	if err != nil {
		return b, err
	}
	if len(records) == 0 || records[len(records)-1].Name != "end" {
		return b, fmt.Errorf("the answer is cut off")
	}
	for _, r := range records[:len(records)-1] {
		f := strings.Fields(r.Data)
		if r.Name != "device" || len(f) != 4 {
			return b, fmt.Errorf("a device as %.80q", r.Data)
		}
		id, err := strconv.ParseInt(f[2], 0, 32)
		if err != nil {
			return b, fmt.Errorf("a device as %.80q", r.Data)
		}
		switch { // class: display controllers; an audio function is none
		case strings.HasPrefix(f[1], "0x0300"), strings.HasPrefix(f[1], "0x0302"):
			b.gpus = append(b.gpus, device{address: f[0], id: id, driver: f[3]})
		case strings.HasPrefix(f[1], "0x0680"):
			b.switches++
		}
	}
	return b, nil
}

// needsOpen says whether only the open modules drive the device: Blackwell and later.
// Device ids grow with the generations: Volta ends below 0x1e00, Blackwell begins at
// 0x2900 (pci.ids).
func (d device) needsOpen() bool { return d.id >= 0x2900 }

// needsProprietary says whether only the proprietary modules drive it: before Turing.
func (d device) needsProprietary() bool { return d.id < 0x1e00 }
