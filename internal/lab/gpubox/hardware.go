// Package gpubox makes practice hosts that look like GPU boxes: the files, commands and
// package repositories through which a real one speaks, and no GPU.
package gpubox

// Names of the profiles.
const (
	RTX  = "rtxpro6000x8"
	H200 = "h200"
)

// Machine is the hardware of a box.
type Machine struct {
	GPUs   []GPU
	Others []Device // on the PCI bus
	Nodes  []Node
	CPUs   string // online
	// Driver is the version of a driver that came with the machine's image, loaded and
	// with its library, but in no package and in no module file; "" is none.
	Driver string
	Built  string // who built Driver, as /proc/driver/nvidia/version says
}

// Device is something on the PCI bus.
type Device struct {
	Address               string // 0000:06:00.0
	Vendor, Device, Class string
	Node                  int // -1 is no information
	CPUs                  string
}

// GPU is one card.
type GPU struct {
	Device
	UUID, Name, Architecture, Cap string
	Minor                         int
	Memory                        int // MiB
	Serial, VBIOS                 string
	Watts                         string // power limit
	Idle                          string // power draw
	State                         string // P8
	Gen                           int    // link generation now; the most is 5
	Virtual                       string // virtualization mode
}

// Node is a NUMA node.
type Node struct {
	CPUs      string
	Size      int // MiB
	Distances string
}

// Find returns the hardware of a profile, and whether it is a GPU box at all.
func Find(profile string) (Machine, bool) {
	switch profile {
	case RTX:
		return rtx(), true
	case H200:
		return h200(), true
	}
	return Machine{}, false
}

// CPU lists of the box with two nodes; CPU 239 is offline.
const (
	node0 = "0-63,128-191"
	node1 = "64-127,192-238,240-255"
)

// rtx is the 8x RTX PRO 6000 box of the reference deployment, from its published log.
func rtx() Machine {
	m := Machine{
		CPUs:  "0-238,240-255",
		Nodes: []Node{{node0, 773676, "10 32"}, {node1, 774030, "32 10"}},
		Others: []Device{
			{"0000:00:00.0", "0x1022", "0x153a", "0x060000", 0, node0},
			{"0000:01:00.0", "0x144d", "0xa80a", "0x010802", 0, node0},
			{"0000:41:00.0", "0x15b3", "0x101f", "0x020000", 0, node0},
			{"0000:c1:00.0", "0x1a03", "0x2000", "0x030000", 1, node1},
		},
	}
	cards := []struct {
		bus, uuid string
		minor     int
	}{
		{"06", "e588912b-1368-6b4f-0e2a-0d08f8afb39b", 2},
		{"07", "f91adc5c-e267-c673-393b-dae0b5217ca6", 3},
		{"75", "1bb613ed-490d-5b4d-d2b2-9f386ae262e0", 0},
		{"76", "546805a9-3012-6e47-b753-aa1d031b6d14", 1},
		{"84", "82383b2b-58e3-1ca5-d958-f53d1752f4f6", 6},
		{"85", "098086aa-080d-c2d7-d316-53de2adae104", 7},
		{"f4", "f47b62c4-d007-983b-6be1-edd04f9e5dd9", 4},
		{"f5", "53470f47-c556-d819-75b5-408c8eec03e4", 5},
	}
	for i, c := range cards {
		at := Device{"0000:" + c.bus + ":00.0", "0x10de", "0x2bb5", "0x030200", i / 4, m.Nodes[i/4].CPUs}
		m.GPUs = append(m.GPUs, GPU{
			Device: at, UUID: "GPU-" + c.uuid, Name: "NVIDIA RTX PRO 6000 Blackwell Server Edition",
			Architecture: "Blackwell", Cap: "12.0", Minor: c.minor, Memory: 97887,
			Serial: "179592400" + c.bus[:1] + string(rune('0'+i)), VBIOS: "98.02.67.00.0A",
			Watts: "600.00", Idle: "38.21", State: "P8", Gen: 1, Virtual: "None",
		})
		audio := at
		audio.Address, audio.Device, audio.Class = "0000:"+c.bus+":00.1", "0x22e8", "0x040300"
		m.Others = append(m.Others, audio)
	}
	return m
}

// h200 is the recorded virtual machine with one H200.
func h200() Machine {
	m := Machine{
		CPUs: "0-15", Nodes: []Node{{"0-15", 241551, "10"}},
		Driver: "580.159.04", Built: "(nixbld@)",
	}
	add := func(slot, vendor, device, class string) Device {
		return Device{"0000:00:" + slot + ".0", vendor, device, class, -1, "0-15"}
	}
	m.Others = []Device{
		add("00", "0x8086", "0x0d57", "0x060000"),
		add("01", "0x1af4", "0x1042", "0x018000"),
		add("02", "0x1af4", "0x1042", "0x018000"),
		add("03", "0x1af4", "0x1041", "0x020000"),
		add("04", "0x1af4", "0x1053", "0xffff00"),
		add("05", "0x1af4", "0x1044", "0xffff00"),
	}
	m.GPUs = []GPU{{
		Device: add("06", "0x10de", "0x2335", "0x030200"),
		UUID:   "GPU-00000000-1111-2222-3333-444444444444", Name: "NVIDIA H200", Architecture: "Hopper",
		Cap: "9.0", Memory: 143771, Serial: "1650000000000", VBIOS: "96.00.A5.00.1A",
		Watts: "700.00", Idle: "127.12", State: "P0", Gen: 5, Virtual: "Pass-Through",
	}}
	return m
}
