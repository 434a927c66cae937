package gpu

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pdprov/pdprov/internal/record"
	"github.com/pdprov/pdprov/stages/stage"
)

// device is one PCI device of NVIDIA. A field that could not be read has no entry.
type device struct {
	address string
	fields  map[string]string
}

func parsePCI(body []byte) ([]device, error) {
	all, err := record.Items(body)
	if err != nil {
		return nil, err
	}
	var devices []device
	for _, p := range all {
		address, ok := Address(p.Data)
		if p.Name != "device" || !ok {
			return nil, fmt.Errorf("%.40q is no PCI address", p.Data)
		}
		if !strings.HasPrefix(p.Fields["class"], "0x") {
			return nil, fmt.Errorf("the class of %s could not be read", address)
		}
		devices = append(devices, device{address, p.Fields})
	}
	slices.SortFunc(devices, func(a, b device) int { return strings.Compare(a.address, b.address) })
	return devices, nil
}

// A GPU is a display (0x0300) or a 3D controller (0x0302); NVSwitches are bridges of
// class 0x0680. The audio function of a GPU is neither.
func (d device) isGPU() bool {
	class := d.fields["class"]
	return strings.HasPrefix(class, "0x0300") || strings.HasPrefix(class, "0x0302")
}

func (d device) isSwitch() bool { return strings.HasPrefix(d.fields["class"], "0x0680") }

// value is a field of sysfs.
func (d device) value(name string) stage.Value {
	text, ok := d.fields[name]
	if !ok || text == "" || !nameForm.MatchString(text) {
		return unknown(pciID, name+" of "+d.address+" could not be read")
	}
	return stage.Is(text)
}

// bound is the kernel driver that has the device.
func (d device) bound() stage.Value {
	if text, ok := d.fields["driver"]; ok && text == "" {
		return stage.Nothing()
	}
	return d.value("driver")
}
