package view_test

import (
	"bytes"
	"fmt"
	"strconv"
	"testing"

	"github.com/pdprov/pdprov/cmd/view"
	"github.com/pdprov/pdprov/engine/plan"
	"github.com/pdprov/pdprov/internal/golden"
	"github.com/pdprov/pdprov/internal/gpu"
	"github.com/pdprov/pdprov/stages/stage"
)

// TestGPUs shows a host with GPUs, one without, and one that could not tell.
func TestGPUs(t *testing.T) {
	unknown := stage.Value{Reason: "exit status 9: NVIDIA-SMI has failed\x1b[2J", Probe: "gpu:nvidia-smi"}
	boxes := []gpu.Box{
		{
			Count: stage.Is("2"), Switches: stage.Is("0"), Holders: stage.Is("1"),
			Driver: gpu.Driver{Loaded: stage.Is("580.95.05"), Library: stage.Is("580.95.05")},
			GPUs: []gpu.GPU{
				{
					Index: stage.Is("0"), UUID: stage.Is("GPU-e588912b-1368-6b4f-0e2a-0d08f8afb39b"), PCI: "0000:06:00.0", Name: stage.Is("NVIDIA RTX PRO 6000"),
					MemoryMiB: stage.Is("97887"), Capability: stage.Is("12.0"), MIG: stage.Is("Disabled"), ECC: stage.Is("Enabled"), Node: stage.Is("0"), CPUs: stage.Is("0-63,128-191"),
				},
				{
					Index: unknown, UUID: stage.Is("GPU-f91adc5c-e267-c673-393b-dae0b5217ca6"), PCI: "0000:07:00.0", Name: unknown,
					MemoryMiB: unknown, Capability: unknown, MIG: unknown, ECC: unknown, Node: unknown, CPUs: unknown,
				},
			},
			Processes:  []gpu.Process{{PID: "4711", GPU: "GPU-e588912b-1368-6b4f-0e2a-0d08f8afb39b", Name: stage.Is("evil\x1b[2J"), MemoryMiB: stage.Is("5")}},
			Unanswered: []gpu.Gap{{Probe: unknown.Probe, Reason: unknown.Reason}},
			Unknown: []gpu.Doubt{
				{Paths: []string{"gpu.1.cpus", "gpu.1.ecc"}, Probe: unknown.Probe, Reason: unknown.Reason},
				{Paths: []string{"gpu.1.cpus", "gpu.1.numa_node", "gpu.2.cpus", "gpu.2.numa_node"}, Probe: "gpu:pci", Reason: "sysfs says -1\x1b[2J"},
			},
		},
		{Count: stage.Is("0")},
		{Count: stage.Value{Reason: "sysfs is not mounted"}},
	}
	var hosts []view.HostFacts
	for i := range boxes {
		hosts = append(hosts, view.HostFacts{Host: plan.Host{Name: "h" + string(rune('1'+i)), State: plan.HostOK}, GPU: &boxes[i]})
	}
	var b bytes.Buffer
	system, kernel := stage.Is("Debian GNU/Linux 12 (bookworm)"), unknown
	hosts[0].System, hosts[0].Kernel = &system, &kernel
	hosts[0].Answers = []view.Answered{
		{Probe: "gpu:nvidia-smi", Outcome: "failed", Exit: 9, Detail: unknown.Reason},
		{Probe: "gpu:pci", Outcome: "answered", Bytes: 700},
		{Probe: "dpkg:nvidia-*", Outcome: "absent", Exit: 66},
		{Probe: "driver.kernel", Outcome: "hung", Detail: "no answer within 20 s"},
	}
	if err := view.Facts(&b, hosts, false, view.Style{}); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "testdata/facts.gpu.txt", b.Bytes())
	b.Reset()
	if err := view.Facts(&b, hosts[:1], true, view.Style{}); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "testdata/facts.all.txt", b.Bytes())
}

// TestAuditOfGPUs: a row for each, and once what they have in common.
func TestAuditOfGPUs(t *testing.T) {
	unknown := stage.Value{Reason: "nvidia-smi says \"[N/A]\" for memory.total", Probe: "gpu:nvidia-smi"}
	s := stage.Surface{"library": stage.Is("580.95.05"), "gpu.count": stage.Is("11")}
	for n := range 11 {
		at := func(name string) string { return "gpu." + strconv.Itoa(n) + "." + name }
		s[at("pci")], s[at("index")], s[at("uuid")] = stage.Is(fmt.Sprintf("0000:%02x:00.0", n+6)), stage.Is(strconv.Itoa(10-n)), stage.Is("GPU-"+strconv.Itoa(n))
		s[at("memory_mib")], s[at("held_by")] = unknown, stage.Nothing()
		s[at("compute_mode")], s[at("minor")] = stage.Is("Default"), stage.Is(strconv.Itoa(n/2))
	}
	p := calm()
	p.Entries[0].Installed = s
	var b bytes.Buffer
	if err := view.Audit(&b, p, view.Style{}); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "testdata/audit.gpu.txt", b.Bytes())
}
