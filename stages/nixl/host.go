package nixl

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/pdprov/pdprov/internal/record"
	"github.com/pdprov/pdprov/stages/stage"
)

// port is a port of a device for RDMA.
type port struct{ name, state, rate, layer string }

// active ports have a state such as "4: ACTIVE".
func (p port) active() bool { return strings.HasSuffix(p.state, "ACTIVE") }

// host is what decides how memory is registered and how GPUs reach each other.
type host struct {
	said  map[string]string // by the names of the records
	types []string          // of the IOMMU's groups
	iommu bool              // the kernel shows groups
	ports []port
	rdma  bool // whether there are ports is known
}

func hostOf(f stage.Facts) (host, *stage.Value) {
	h := host{said: map[string]string{}}
	a := f.Get(hostID)
	if a.Outcome != stage.Answered {
		v := a.Unknown(hostID)
		return h, &v
	}
	items, err := record.Items(a.Body)
	if err != nil {
		return h, &stage.Value{Reason: "the answer makes no sense: " + err.Error(), Probe: hostID}
	}
	for _, it := range items {
		text := strings.TrimSpace(it.Data)
		switch it.Name {
		case "iommu":
			h.iommu = true
		case "group":
			h.types = append(h.types, text)
		case "rdma":
			h.rdma = true
		case "port":
			h.ports = append(h.ports, port{text, it.Fields["state"], it.Fields["rate"], it.Fields["layer"]})
		default:
			h.said[it.Name] = text
		}
	}
	slices.Sort(h.types)
	h.types = slices.Compact(h.types)
	return h, nil
}

// memlock is the limit that units get which say nothing of their own, in bytes or
// "infinity".
func (h host) memlock() string {
	v, _ := strings.CutPrefix(h.said["memlock"], "DefaultLimitMEMLOCK=")
	return v
}

// unlimited is also the largest number, as systemd writes it in some releases.
func unlimited(limit string) bool { return limit == "infinity" || limit == "18446744073709551615" }

var kernelForm = regexp.MustCompile(`^(\d+)\.(\d+)`)

// dmabuf says whether the kernel can share GPU memory by DMA-BUF (from 5.12 on), which
// the open kernel module does.
func (h host) dmabuf() bool {
	m := kernelForm.FindStringSubmatch(h.said["kernel"])
	if m == nil {
		return false
	}
	major, _ := strconv.Atoi(m[1])
	minor, _ := strconv.Atoi(m[2])
	return major > 5 || major == 5 && minor >= 12
}

// bootWords are the options of the kernel's command line that IOMMU and ACS hang on.
func (h host) bootWords() (words []string) {
	for _, w := range strings.Fields(h.said["cmdline"]) {
		for _, name := range []string{"iommu", "intel_iommu", "amd_iommu", "iommu.", "pci", "pcie_acs_override", "disable_acs_redir"} {
			if strings.HasPrefix(w, name+"=") || name == "iommu." && strings.HasPrefix(w, name) {
				words = append(words, w)
			}
		}
	}
	return words
}

// haveHost fills in the facts that audit shows. None of them is compared.
func (w wish) haveHost(f stage.Facts, seen sight, s stage.Surface) {
	h, unknown := hostOf(f)
	if unknown != nil {
		for _, path := range []string{"host.memlock", "host.peermem", "host.dmabuf", "host.iommu", "host.boot", "host.rdma"} {
			s[path] = *unknown
		}
		return
	}
	text := func(path, name, value string) {
		s[path] = stage.Value{Reason: "the host did not say " + name, Probe: hostID}
		if value != "" {
			s[path] = stage.Is(value)
		}
	}
	text("host.memlock", "DefaultLimitMEMLOCK", h.memlock())
	text("host.max_map_count", "vm.max_map_count", h.said["maps"])
	text("host.peermem", "whether nvidia_peermem is loaded", h.said["peermem"])
	s["host.dmabuf"] = stage.Is(h.sharing(seen))
	s["host.boot"], s["host.iommu"], s["host.rdma"] = stage.Nothing(), stage.Nothing(), stage.Nothing()
	if words := h.bootWords(); len(words) > 0 {
		s["host.boot"] = stage.Is(strings.Join(words, " "))
	}
	switch {
	case len(h.types) > 0:
		s["host.iommu"] = stage.Is(strings.Join(h.types, ", "))
	case !h.iommu:
		s["host.iommu"] = stage.Value{Reason: "the kernel shows no /sys/kernel/iommu_groups", Probe: hostID}
	}
	if !h.rdma {
		s["host.rdma"] = stage.Value{Reason: "the kernel shows no /sys/class", Probe: hostID}
	}
	for _, p := range h.ports {
		s["host.rdma"] = stage.Is(strconv.Itoa(len(h.ports)))
		s["host.rdma."+p.name] = stage.Is(strings.TrimSpace(p.state) + ", " + strings.TrimSpace(p.rate) + ", " + strings.TrimSpace(p.layer))
	}
	s["host.p2p"], s["host.acs"] = p2p(f), acs(f)
}

// sharing says what is known of DMA-BUF.
func (h host) sharing(seen sight) string {
	flavour := seen.box.Driver.Flavour
	switch {
	case !h.dmabuf():
		return "no: the kernel " + h.said["kernel"] + " is older than 5.12, or its version is not known"
	case flavour.State == stage.Present && flavour.Text == "open":
		return "kernel " + h.said["kernel"] + " with the open module"
	}
	return "no: it takes the open kernel module of the driver"
}

// p2p is the driver's word on whether GPUs can write to each other; it knows nothing of
// ACS and IOMMU.
func p2p(f stage.Facts) stage.Value {
	a := f.Get(p2pID)
	switch a.Outcome {
	case stage.Absent:
		return stage.Nothing()
	case stage.Answered:
	default:
		return a.Unknown(p2pID)
	}
	items, err := record.Items(a.Body)
	if err != nil || len(items) != 1 {
		return stage.Value{Reason: "the answer makes no sense", Probe: p2pID}
	}
	ok, bad := 0, map[string]int{}
	for line := range strings.Lines(items[0].Data) {
		cells := strings.Fields(ansi.ReplaceAllString(line, ""))
		if len(cells) < 2 || !gpuRow.MatchString(cells[0]) || gpuRow.MatchString(cells[1]) {
			continue
		}
		for _, c := range cells[1:] {
			switch c {
			case "X":
			case "OK":
				ok++
			default:
				bad[c]++
			}
		}
	}
	switch {
	case len(bad) > 0:
		var words []string
		for c, n := range bad {
			words = append(words, c+" "+strconv.Itoa(n))
		}
		slices.Sort(words)
		return stage.Is("OK " + strconv.Itoa(ok) + ", " + strings.Join(words, ", "))
	case ok > 0:
		return stage.Is("OK for all pairs")
	}
	return stage.Is("no pairs of GPUs")
}

var (
	ansi   = regexp.MustCompile("\x1b\\[[0-9;]*m")
	gpuRow = regexp.MustCompile(`^GPU[0-9]+$`)
)
