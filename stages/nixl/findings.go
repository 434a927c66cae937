package nixl

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pdprov/pdprov/stages/stage"
)

// findings are what keeps the proof from passing and is seen without starting it, and what
// the proof alone would not show. What earlier stages of the plan may still bring is no
// fault yet.
func (w wish) findings(in stage.Instance, s sight, f stage.Facts) []stage.Finding {
	var found []stage.Finding
	if s.doubt == nil && len(in.Pending) == 0 {
		found = append(found, w.missing(s)...)
		found = append(found, w.pieceWarnings(s)...)
	}
	if slices.Contains(w.memory, vram) && s.box.Count.State == stage.Present && s.box.Count.Text == "0" {
		found = append(found, stage.Finding{
			Path: "memory", Summary: "GPU memory cannot be tested here",
			Detail: "The host has no NVIDIA GPU on its PCI bus. Take vram out of memory, or leave memory away: then it is moved on hosts with GPUs alone.",
		})
	}
	return append(found, w.hostWarnings(s, f)...)
}

// missing refuses what certainly cannot move a byte.
func (w wish) missing(s sight) []stage.Finding {
	fault := func(path, summary, detail string) []stage.Finding {
		return []stage.Finding{{Path: path, Summary: summary, Detail: detail}}
	}
	name, _ := s.pieces.picked(s.env.Torch)
	t := s.pieces.loaded(s.env.Torch)
	m := s.env.Torch.Major()
	switch {
	case !s.env.There():
		return fault("venv", "No Python environment", fmt.Sprintf("There is no environment at %s. Let a venv stage make it, and name that stage: venv = stage.venv.NAME.", w.venv))
	case name == "" && m != "" && len(s.dists()) > 0:
		return fault("venv", "NIXL for another CUDA", fmt.Sprintf("torch %s is for CUDA %s, and the wheel nixl-cu%s is not installed: import nixl ends with \"detected CUDA %s but nixl-cu%s is not installed\". Put nixl-cu%s into the lock, in the version of nixl.", s.env.Torch.Version, m, m, m, m, m))
	case name == "":
		return fault("venv", "NIXL is not installed", fmt.Sprintf("%s holds neither nixl_cu12 nor nixl_cu13. Put nixl and nixl-cu12 or nixl-cu13 into the lock of the environment.", w.venv))
	case s.pieces.override != "" && t.folder == "":
		return fault(`env["NIXL_PLUGIN_DIR"]`, "No folder of plugins", fmt.Sprintf("NIXL_PLUGIN_DIR is %s, which is no folder on this host, so that NIXL ends with \"No plugins available for NIXL, cannot start transfers!\". Leave it away, or let it name the folder with %s.", s.pieces.override, plugin))
	case !t.brings(plugin):
		where := t.folder
		if where == "" {
			where = fmt.Sprintf(".%s.mesonpy.libs/plugins, which is not there", name)
		}
		return fault("venv", "NIXL has no UCX plugin", fmt.Sprintf("%s is missing in %s. NIXL only warns (\"Skipping backend registration UCX due to the missing plugin.\"), starts, and can move nothing. Install %s anew: the venv stage repairs the environment, or uv pip install --reinstall does.", plugin, where, strings.ReplaceAll(name, "_", "-")))
	case s.pieces.override == "" && t.ucx() == "" && len(t.libs) == 0 && !w.systemUCX:
		return fault("venv", "NIXL has no UCX", fmt.Sprintf("%s.libs holds no libucp, so the plugin cannot be loaded (\"createBackend: unsupported backend 'UCX'\"). Install %s anew, or set system_ucx = true for a NIXL that was built against the system's UCX.", name, strings.ReplaceAll(name, "_", "-")))
	}
	return nil
}

// pieceWarnings tell of what makes transfers slow in silence.
func (w wish) pieceWarnings(s sight) (found []stage.Finding) {
	warn := func(path, summary, detail string) {
		found = append(found, stage.Finding{Severity: stage.Warning, Path: path, Summary: summary, Detail: detail})
	}
	name, _ := s.pieces.picked(s.env.Torch)
	t := s.pieces.loaded(s.env.Torch)
	if name == "" {
		return nil
	}
	if len(t.modules) == 0 && !w.systemUCX {
		warn("venv", "UCX has no transport modules", fmt.Sprintf("There is no libuct_*.so in %s.libs/ucx or UCX_MODULE_DIR. UCX says nothing and moves all by TCP and shared memory: slowly, and no GPU memory. Install the wheel anew.", name))
	} else if w.moves(vram, s) && !slices.Contains(t.moduleNames(), "cuda") && !w.systemUCX {
		warn("venv", "UCX has no CUDA module", "libuct_cuda.so is not among UCX's modules ("+strings.Join(t.moduleNames(), " ")+"), so that UCX says \"UCX CUDA support was not found! GPU memory is not supported.\" Install the wheel anew, or set UCX_MODULE_DIR.")
	}
	versions := map[string][]string{}
	for _, dist := range s.dists() {
		v := s.env.Dists[dist][0].Version
		versions[v] = append(versions[v], dist+" "+v)
	}
	if len(versions) > 1 {
		var all []string
		for _, list := range versions {
			all = append(all, list...)
		}
		slices.Sort(all)
		warn("venv", "NIXL in several versions", strings.Join(all, ", ")+": releases arrive in pieces. Pin all of them to one version in the lock.")
	}
	if tls, set := w.env["UCX_TLS"]; set && w.moves(vram, s) && !leavesCUDA(tls) {
		warn(`env["UCX_TLS"]`, "UCX_TLS without CUDA", fmt.Sprintf("UCX_TLS is %q, and the host has GPUs: UCX then takes GPU memory for host memory or moves it by TCP, at about 0.5 GB/s. Add cuda_copy and cuda_ipc.", tls))
	}
	return found
}

// leavesCUDA says whether a UCX_TLS lets UCX move GPU memory from GPU to GPU.
func leavesCUDA(tls string) bool {
	if denied, ok := strings.CutPrefix(tls, "^"); ok {
		return !strings.Contains(denied, "cuda")
	}
	return strings.Contains(tls, "cuda") || strings.Contains(tls, "all")
}

const neededMaps = 262144

// hostWarnings tell of what stops RDMA, which the proof within one host does not use.
func (w wish) hostWarnings(s sight, f stage.Facts) (found []stage.Finding) {
	warn := func(path, summary, detail string) {
		found = append(found, stage.Finding{Severity: stage.Warning, Path: path, Summary: summary, Detail: detail})
	}
	h, unknown := hostOf(f)
	active := slices.DeleteFunc(slices.Clone(h.ports), func(p port) bool { return !p.active() })
	if unknown != nil || len(active) == 0 {
		return nil
	}
	if limit := h.memlock(); limit != "" && !unlimited(limit) {
		warn("", "Units may lock little memory", fmt.Sprintf("DefaultLimitMEMLOCK is %s bytes, and RDMA has to lock all that it moves: ibv_reg_mr fails with \"Please set max locked memory (ulimit -l) to 'unlimited'\". Give the units LimitMEMLOCK=infinity.", limit))
	}
	if n, err := strconv.Atoi(h.said["maps"]); err == nil && n < neededMaps {
		warn("", "Few memory mappings", fmt.Sprintf("vm.max_map_count is %d; with many registrations ibv_reg_mr fails with \"Cannot allocate memory\" and no hint. Set it to %d (stage \"sysctl\").", n, neededMaps))
	}
	if _, set := w.env["UCX_NET_DEVICES"]; !set && len(active) > 1 {
		warn("env", "No network device chosen", fmt.Sprintf("The host has %d active RDMA ports, and NIXL takes no notice of --disaggregation-ib-device: with a wrong port each request waits 300 s. Set UCX_NET_DEVICES, for example to %q.", len(active), active[0].name))
	}
	if w.moves(vram, s) && h.said["peermem"] == "absent" && strings.HasPrefix(h.sharing(s), "no:") {
		warn("", "No way from network to GPU memory", "nvidia_peermem is not loaded, and DMA-BUF does not work ("+h.sharing(s)+"): KV cache between hosts goes through host memory. Take the open module, or load nvidia_peermem.")
	}
	return found
}
