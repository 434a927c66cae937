// Package nixl is the kind "nixl": the settings of NIXL and UCX that units inherit, and
// the proof that NIXL moves bytes with them, made by moving bytes.
package nixl

import (
	"github.com/pdprov/pdprov/internal/gpu"
	"github.com/pdprov/pdprov/internal/hostfile"
	"github.com/pdprov/pdprov/internal/pyenv"
	"github.com/pdprov/pdprov/stages/stage"
)

// Kind is the kind "nixl".
type Kind struct{}

// Name is the word after `stage` in a plan file.
func (Kind) Name() string { return "nixl" }

// Summary is one sentence for people.
func (Kind) Summary() string {
	return "NIXL in a Python environment: its pieces, its settings for units, and a proof by bytes that two processes move in both directions, each compared."
}

// Schema lists the attributes of a block.
func (Kind) Schema() []stage.Attr {
	return []stage.Attr{
		pyenv.Attr(),
		{Name: "env", Type: stage.StringMap, Doc: "Variables that the proof and the units get: UCX_TLS, UCX_NET_DEVICES, NIXL_PLUGIN_DIR and so on."},
		{Name: "env_file", Type: stage.String, Doc: "Absolute path of a file that env is written to, for EnvironmentFile= of units (/etc/pdprov/nixl.env)."},
		{Name: "memory", Type: stage.StringList, Doc: "Kinds of memory that must be moved: dram, vram. Unset: dram, and vram where the host has GPUs and the environment a torch for CUDA."},
		{Name: "size", Type: stage.String, Default: "64MiB", Doc: "How much one transfer moves (\"64MiB\", \"1GiB\")."},
		{Name: "repeats", Type: stage.Number, Default: float64(5), Doc: "How many transfers are measured in each direction, after one to warm up; the best counts, and the bytes of each are compared."},
		{Name: "min_gbps", Type: stage.StringMap, Doc: "The least GB/s for each kind of memory and operation: { \"dram.write\" = 1, \"vram.write\" = 25, \"peer.dram.write\" = 5 }. vram.write is held against 25 where nothing else is said: GPU to GPU is far above, and TCP, which takes its place in silence, at 0.5. Without NVLink vram.read is near 0.5 on a healthy host."},
		{Name: "gpu_pairs", Type: stage.StringList, Doc: "Pairs of GPUs by UUID, \"GPU-... GPU-...\": from the first to the second. Unset: from the first GPU of the host to the last, by PCI address."},
		{Name: "peer", Type: stage.Ref, Kinds: []string{"nixl"}, Doc: "A nixl stage on another host, which must have an address: bytes are moved to it and from it as well, in the direction that the KV cache takes, when peer is named in the stage of the prefill host. For the time of the proof, and no longer, a process listens there."},
		{Name: "address", Type: stage.String, Doc: "IP address of this host, in the network that carries the KV cache, on which stages of other hosts that name this one as their peer find it."},
		{Name: "port", Type: stage.Number, Default: float64(18515), Doc: "TCP port on address, used while a peer proves. UCX takes further ports of its own choice."},
		{Name: "system_ucx", Type: stage.Bool, Default: false, Doc: "true lets NIXL use a UCX outside the environment, for a NIXL that was built on the host."},
		{Name: "stall", Type: stage.String, Default: "30s", Doc: "How long one transfer or one message may take before the peer counts as lost."},
		{Name: "timeout", Type: stage.String, Default: "5m", Doc: "How long the whole proof may take."},
	}
}

// Probes ask for the environment, the pieces of NIXL, the file for units, the last
// proof, the GPUs, and what else of the host decides how bytes travel.
func (Kind) Probes(in stage.Instance) []stage.Probe {
	w := read(in)
	probes := []stage.Probe{pyenv.Probe(w.venv), w.piecesProbe(), w.resultProbe(), hostProbe(), p2pProbe(), acsProbe()}
	if w.envFile != "" {
		probes = append(probes, w.fileProbe())
	}
	return append(probes, gpu.Basics()...)
}

func (w wish) fileProbe() stage.Probe {
	return hostfile.Look(w.envFile, hostfile.Digest(w.envText()))
}
