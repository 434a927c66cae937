// Package gpu reads what a host shows of its NVIDIA GPUs: the PCI bus, the driver, what
// nvidia-smi says, and where the GPUs lie among the host's NUMA nodes.
package gpu

import "github.com/pdprov/pdprov/stages/stage"

// Box is a host as its GPUs make it. A value that no answer tells is Unknown with its
// evidence; None is what is certainly not there.
type Box struct {
	// Count is how many GPUs are on the PCI bus, with or without a driver.
	Count    stage.Value `json:"count"`
	Switches stage.Value `json:"nvswitches"` // NVSwitches on the bus
	Driver   Driver      `json:"driver"`
	// GPUs are in order of PCI address: CUDA's order with CUDA_DEVICE_ORDER=PCI_BUS_ID.
	GPUs []GPU `json:"gpus"`
	// Holders is how many entries Processes has: a process on two GPUs counts twice.
	Holders    stage.Value `json:"holders"`
	Processes  []Process   `json:"processes"`
	Nodes      []Node      `json:"numa_nodes"`
	OnlineCPUs stage.Value `json:"online_cpus"`
	Topology   Topology    `json:"topology"`
	// Unanswered lists the questions that brought nothing that can be believed. A host
	// without nvidia-smi is an answer.
	Unanswered []Gap `json:"unanswered"`
	// Unknown says why values are unknown, those of one reason together.
	Unknown []Doubt `json:"unknown"`
}

// Doubt is why values of the Surface are unknown.
type Doubt struct {
	Paths  []string `json:"paths"`
	Probe  string   `json:"probe"`
	Reason string   `json:"detail"`
}

// GPU is one GPU with all that is known of it.
type GPU struct {
	Index       stage.Value `json:"index"` // of nvidia-smi; never an identity
	UUID        stage.Value `json:"uuid"`
	PCI         string      `json:"pci"` // "0000:f4:00.0"
	Name        stage.Value `json:"name"`
	MemoryMiB   stage.Value `json:"memory_mib"`
	Capability  stage.Value `json:"compute_capability"` // "12.0"
	MIG         stage.Value `json:"mig"`                // Enabled or Disabled
	ECC         stage.Value `json:"ecc"`                // Enabled or Disabled
	Persistence stage.Value `json:"persistence"`        // Enabled or Disabled
	Recovery    stage.Value `json:"recovery_action"`    // "None": the GPU is well
	ComputeMode stage.Value `json:"compute_mode"`
	PendingMIG  stage.Value `json:"mig_pending"`
	PendingECC  stage.Value `json:"ecc_pending"`
	Node        stage.Value `json:"numa_node"`
	CPUs        stage.Value `json:"cpus"`  // of its NUMA node: "0-63,128-191"
	Minor       stage.Value `json:"minor"` // of /dev/nvidiaN
	Bound       stage.Value `json:"bound_driver"`
	LinkWidth   stage.Value `json:"link_width"` // lanes now
	LinkSpeed   stage.Value `json:"link_speed"` // now; low while idle
	Device      stage.Value `json:"device"`     // PCI device ID
}

// Driver is what a host shows of the NVIDIA driver.
type Driver struct {
	Loaded     stage.Value `json:"loaded"`     // version of the kernel module
	Flavour    stage.Value `json:"flavour"`    // of the loaded module: open or proprietary
	SrcVersion stage.Value `json:"srcversion"` // of the loaded module
	Library    stage.Value `json:"library"`    // version that all copies of libnvidia-ml.so.1 have
	Reported   stage.Value `json:"reported"`   // by nvidia-smi
	Copies     []Copy      `json:"copies"`
}

// Copy is one libnvidia-ml.so.1.
type Copy struct {
	Path    string      `json:"path"`
	Target  string      `json:"target"` // the file that the link leads to
	Version stage.Value `json:"version"`
}

// Process holds a GPU.
type Process struct {
	PID       string      `json:"pid"`
	Name      stage.Value `json:"name"`
	GPU       string      `json:"gpu"` // UUID
	MemoryMiB stage.Value `json:"memory_mib"`
}

// Node is a NUMA node that is online.
type Node struct {
	ID      string      `json:"id"`
	CPUs    stage.Value `json:"cpus"` // without those that are offline
	FreeKiB stage.Value `json:"free_kib"`
}

// Gap is a question without a usable answer.
type Gap struct {
	Probe  string `json:"probe"`
	Reason string `json:"detail"`
}

func unknown(probe, reason string) stage.Value {
	return stage.Value{State: stage.Unknown, Reason: reason, Probe: probe}
}
