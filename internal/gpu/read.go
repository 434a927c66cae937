package gpu

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pdprov/pdprov/stages/stage"
)

// reader holds the parsed answers while a Box is made of them. A map or list of a
// question without a usable answer is empty, and why says why.
type reader struct {
	facts   stage.Facts
	devices []device
	driver  driverAnswer
	numa    numaAnswer
	rows    map[string][]row // by probe
	why     map[string]stage.Value
	gaps    []Gap
}

// Read makes a Box of the answers to Probes.
func Read(f stage.Facts) Box {
	r := &reader{facts: f, rows: map[string][]row{}, why: map[string]stage.Value{}}
	r.ask(pciID, func(b []byte) (err error) { r.devices, err = parsePCI(b); return })
	r.ask(driverID, func(b []byte) (err error) { r.driver, err = parseDriver(b); return })
	r.ask(numaID, func(b []byte) (err error) { r.numa, err = parseNUMA(b); return })
	r.query(smiID)
	r.query(moreID)
	b := Box{GPUs: []GPU{}, Driver: r.driverOf()}
	b.Count, b.Switches = r.count(device.isGPU), r.count(device.isSwitch)
	b.OnlineCPUs = r.or(numaID, r.numa.cpus)
	r.compare()
	for _, address := range r.addresses() {
		b.GPUs = append(b.GPUs, r.gpu(address))
	}
	r.holders(&b)
	r.topology(&b)
	b.Nodes = append([]Node{}, r.numa.nodes...)
	b.Unanswered = append([]Gap{}, r.gaps...)
	b.Unknown = Doubts(b.Surface())
	return b
}

// ask reads one answer. Absent is an answer: what was looked for is not on the host.
func (r *reader) ask(id string, parse func([]byte) error) {
	switch a := r.facts.Get(id); a.Outcome {
	case stage.Absent:
		r.why[id] = unknown(id, absent(id))
	case stage.Answered:
		if err := parse(a.Body); err != nil {
			r.gap(id, "the answer cannot be used: "+err.Error())
		}
	default:
		r.gap(id, Unknown(id, a).Reason)
	}
}

func absent(id string) string {
	if id == pciID {
		return "the host has no PCI bus"
	}
	return "the host has no nvidia-smi"
}

func (r *reader) gap(id, reason string) {
	r.why[id] = unknown(id, reason)
	r.gaps = append(r.gaps, Gap{Probe: id, Reason: reason})
}

// query reads the rows of nvidia-smi.
func (r *reader) query(id string) {
	r.ask(id, func(b []byte) error {
		s, err := r.said(b)
		if err == nil {
			r.rows[id], err = parseRows(id, s)
		}
		return err
	})
}

// said is what nvidia-smi printed. That it finds no device is only believed where the bus
// has none either.
func (r *reader) said(body []byte) (said, error) {
	s, err := parseSaid(body)
	if err != nil || strings.TrimSpace(s.out) != noDevices {
		return s, err
	}
	if n := r.count(device.isGPU); n.Text != "0" {
		return s, fmt.Errorf("nvidia-smi says %q with exit status %s, and the GPUs on the PCI bus are %s", noDevices, s.exit, n)
	}
	s.exit, s.out = "0", ""
	return s, nil
}

// count counts devices on the bus.
func (r *reader) count(is func(device) bool) stage.Value {
	if why, missing := r.why[pciID]; missing && r.facts.Get(pciID).Outcome != stage.Absent {
		return why
	}
	n := 0
	for _, d := range r.devices {
		if is(d) {
			n++
		}
	}
	return stage.Is(strconv.Itoa(n))
}

func (r *reader) or(id, text string) stage.Value {
	if why, missing := r.why[id]; missing {
		return why
	}
	return stage.Is(text)
}

// compare holds the rows of nvidia-smi against the bus: a GPU that fell off is missing in
// one of them.
func (r *reader) compare() {
	if len(r.why) > 0 && (r.why[pciID].Reason != "" || r.why[smiID].Reason != "") {
		return
	}
	var onBus, listed []string
	for _, d := range r.devices {
		if d.isGPU() {
			onBus = append(onBus, d.address)
		}
	}
	for _, row := range r.rows[smiID] {
		listed = append(listed, row.address)
	}
	slices.Sort(listed)
	if !slices.Equal(onBus, listed) {
		r.gaps = append(r.gaps, Gap{smiID, fmt.Sprintf("the PCI bus has %d GPUs (%s) and nvidia-smi lists %d (%s)",
			len(onBus), strings.Join(onBus, " "), len(listed), strings.Join(listed, " "))})
	}
}

// addresses are those of all GPUs that any answer names.
func (r *reader) addresses() []string {
	var all []string
	for _, d := range r.devices {
		if d.isGPU() {
			all = append(all, d.address)
		}
	}
	for _, row := range r.rows[smiID] {
		all = append(all, row.address)
	}
	for _, c := range r.driver.cards {
		all = append(all, c.address)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// driverOf is the driver with what nvidia-smi reports.
func (r *reader) driverOf() Driver {
	d := r.driver.driver
	if why, missing := r.why[driverID]; missing {
		d = Driver{Loaded: why, Flavour: why, SrcVersion: why, Library: why}
	}
	why, missing := r.why[smiID]
	switch rows := r.rows[smiID]; {
	case missing:
		d.Reported = why
	case len(rows) == 0:
		d.Reported = unknown(smiID, "nvidia-smi lists no GPU")
	default:
		d.Reported = rows[0].value("driver_version", versionForm)
	}
	if d.Copies == nil {
		d.Copies = []Copy{}
	}
	return d
}

// holders reads which processes hold GPUs. Without nvidia-smi nobody can tell.
func (r *reader) holders(b *Box) {
	b.Processes = []Process{}
	r.ask(processesID, func(body []byte) error {
		s, err := r.said(body)
		if err == nil {
			b.Processes, err = parseProcesses(s)
		}
		return err
	})
	if b.Processes == nil {
		b.Processes = []Process{}
	}
	b.Holders = r.or(processesID, strconv.Itoa(len(b.Processes)))
}

func (r *reader) topology(b *Box) {
	r.ask(topologyID, func(body []byte) error {
		s, err := r.said(body)
		if err == nil && (s.out != "" || len(b.GPUs) > 0) {
			b.Topology.Links, err = parseTopology(s.out)
		}
		return err
	})
	b.Topology.Known = r.or(topologyID, strconv.Itoa(len(b.Topology.Links)))
}
