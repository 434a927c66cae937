package nixl

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// trial is one run of the program against a stand-in for NIXL.
type trial struct {
	name   string
	mode   string            // of the stand-in
	texts  map[string]string // what it prints and raises
	maps   []string          // names of libraries that it maps
	memory string            // "dram" where empty
	gates  map[string]float64
	ends   int
	says   []string // in what is printed
	never  []string
	proofs map[string]string // outcomes in the result; READ and WRITE alike where not said
}

func backend(printed string) map[string]string {
	return map[string]string{"print": printed, "type": "nixlBackendError", "raise": "NIXL_ERR_BACKEND"}
}

// failing are the rows of the table of failures of the reference, section 8.5, and those
// that were recorded beside it.
var failing = []trial{
	{
		name: "plugin missing", mode: "no plugin",
		texts: map[string]string{"print": "2026-12-01 10:27:07 NIXL WARNING _api.py:238 Skipping backend registration UCX due to the missing plugin."},
		says:  []string{"DRAM WRITE: failed: ", "NIXL has no UCX plugin", "Skipping backend registration UCX due to the missing plugin.", "Install nixl-cu12 or nixl-cu13 anew"},
	},
	{
		name:  "wrong folder of plugins",
		texts: map[string]string{"print": `E1201 10:27:11.531944    2105 nixl_plugin_manager.cpp:500] Error accessing directory("/nonexistent"): No such file or directory`, "type": "RuntimeError", "raise": "No plugins available for NIXL, cannot start transfers!"},
		says:  []string{"NIXL finds no plugin at all", "Take NIXL_PLUGIN_DIR out of the environment"},
	},
	{
		name: "plugin cannot be loaded", texts: map[string]string{"print": "E1201 10:27:10.152538    2074 nixl_agent.cpp:322] createBackend: unsupported backend 'UCX'", "type": "nixlNotFoundError", "raise": "NIXL_ERR_NOT_FOUND"},
		says: []string{"UCX plugin is there and cannot be loaded", "leave LD_LIBRARY_PATH empty"},
	},
	{
		name: "backend without words", texts: backend(""),
		says: []string{"NIXL_ERR_BACKEND", "UCX_LOG_LEVEL=info"},
	},
	{
		name: "GPUs and no CUDA in UCX", texts: backend("W1201 10:00:00.0 1 ucx_utils.cpp:1] 8 NVIDIA GPU(s) were detected, but UCX CUDA support was not found! GPU memory is not supported."),
		says: []string{"UCX uses none of its CUDA modules (GPUs here: 8)", "UCX_MODULE_DIR", "UCX_TLS is set, add cuda_copy and cuda_ipc to it"},
	},
	{
		name: "VRAM detected as host", texts: backend("E1201 VRAM memory is detected as host by UCX. UCX is likely not configured with CUDA support. VRAM registration cannot proceed."),
		says: []string{"UCX takes GPU memory for host memory"},
	},
	{
		name: "old UCX", texts: backend("W1201 UCX version is 1.13.1, which is less than 1.19, CUDA support is limited"),
		says: []string{"an old UCX of the system is bound", "LD_LIBRARY_PATH"},
	},
	{
		name: "transports missing", texts: backend("[1.2] [vm:1:0] ucp_context.c:1433 UCX  WARN  transports 'cuda_ipc','cuda_copy' are not available, please use one or more of: tcp"),
		says: []string{"UCX_TLS asks for 'cuda_ipc','cuda_copy'", "on a host without GPUs leave them out"},
	},
	{
		name: "no usable transport", texts: backend("[1.2] [vm:1:0] ucp_context.c:1694 UCX  ERROR no usable transports/devices (asked rc on network:intra-node:accelerator:loopback:)"),
		says: []string{"none of the transports or devices that were asked for (rc on network"},
	},
	{
		name: "no tcp", texts: backend("[1.2] [gpu01:1634 :0] select.c:657  UCX  ERROR   no active messages transport to <no debug data>: self/memory - no peer failure handler"),
		says: []string{"no transport that can tell when a peer is lost", "Add tcp to UCX_TLS"},
	},
	{
		name: "libcuda missing", texts: map[string]string{"type": "ImportError", "raise": "libcuda.so.1: cannot open shared object file: No such file or directory"},
		says: []string{"DRAM WRITE: cannot be tested here", "libcuda.so.1, a part of the NVIDIA driver, is not on this host"}, never: []string{"failed:"},
		proofs: map[string]string{"dram.write": "cannot be tested here", "dram.read": "cannot be tested here"},
	},
	{
		name: "torch missing", texts: map[string]string{"type": "ModuleNotFoundError", "raise": "No module named 'torch'"},
		says:   []string{"the environment has no torch"},
		proofs: map[string]string{"dram.write": "cannot be tested here", "dram.read": "cannot be tested here"},
	},
	{
		name: "GPU memory taken", texts: map[string]string{"type": "RuntimeError", "raise": "CUDA out of memory. Tried to allocate 64.00 MiB. GPU 0 has a total capacity of 139.80 GiB"},
		says:   []string{"cannot be tested here: ", "other programs have the GPU's memory", "while the units are stopped"},
		proofs: map[string]string{"dram.write": "cannot be tested here", "dram.read": "cannot be tested here"},
	},
	{
		name: "other CUDA", texts: map[string]string{"type": "ImportError", "raise": "detected CUDA 13 but nixl-cu13 is not installed"},
		says: []string{"the wheel nixl-cu13 is not installed", "Put nixl-cu13 into the lock"},
	},
	{
		name: "wrong LD_LIBRARY_PATH", texts: map[string]string{"type": "ImportError", "raise": "/opt/junk/libstdc++.so.6: file too short"},
		says: []string{"/opt/junk/libstdc++.so.6: file too short", "Look at LD_LIBRARY_PATH"},
	},
	{
		name: "wrong LD_LIBRARY_PATH behind numpy", texts: map[string]string{"type": "ImportError", "raise": "Error importing numpy: you should not\n\ttry", "from": "/opt/junk/libstdc++.so.6: file too short"},
		says: []string{"a library cannot be loaded: /opt/junk/libstdc++.so.6: file too short", "Error importing numpy: you should not try", "Look at LD_LIBRARY_PATH"},
	},
	{
		name: "segfault", mode: "segfault",
		says: []string{"ended by SIGSEGV before it had a result", "Two UCX in one process, or GPU memory that UCX takes for host memory"},
	},
	{
		name: "memlock", texts: backend("[1.2] [vm:1:0] ib_md.c:300 UCX ERROR ibv_reg_mr(address=0x7f, length=4096, access=0xf) failed: Cannot allocate memory : Please set max locked memory (ulimit -l) to 'unlimited' (current: 8192 kbytes)"),
		says: []string{"memory cannot be locked for RDMA", "(current: 8192 kbytes)", "LimitMEMLOCK=infinity"}, never: []string{"max_map_count"},
	},
	{
		name: "too many mappings", texts: backend("[1.2] [vm:1:0] ib_md.c:300 UCX ERROR ibv_reg_mr(address=0x7f, length=4096, access=0xf) failed: Cannot allocate memory"),
		says: []string{"Raise vm.max_map_count to 262144"}, never: []string{"LimitMEMLOCK"},
	},
	{
		name: "UCX from outside", maps: []string{"libucp.so.0"}, ends: 1,
		says: []string{"libucp.so.0, which lies outside the environment", "system_ucx = true"},
	},
	{
		name: "peer lost", mode: "peer lost",
		says: []string{"NIXL_ERR_REMOTE_DISCONNECT", "The link between the two was cut"},
	},
	{
		name: "peer stopped", mode: "stands still",
		says: []string{"WRITE of 3145728 bytes was not done after 2 s: the peer does not answer"},
	},
	{
		name: "nothing moved", mode: "moves nothing", says: []string{"DRAM WRITE ", "DRAM READ: failed: READ said DONE, and the bytes from 0 on are not those that were sent"},
		proofs: map[string]string{"dram.write": "passed", "dram.read": "failed"},
	},
	{
		name: "one byte wrong", mode: "one byte wrong", says: []string{"the bytes from 3145719 on are not those that were sent", "This is data loss"},
	},
	{
		name: "ended in ERR", mode: "error", says: []string{"READ ended in the state ERR"},
		proofs: map[string]string{"dram.write": "passed", "dram.read": "failed"},
	},
	{
		name: "below the gate", mode: "slow", gates: map[string]float64{"dram.write": 25},
		says:   []string{"TOO SLOW", "0.0", "25 GB/s are asked for"},
		proofs: map[string]string{"dram.write": "too slow", "dram.read": "passed"},
	},
	{
		name: "the fast path of GPUs is broken", mode: "slow", memory: "vram", maps: []string{"libuct_cuda.so.0.0.0"}, gates: map[string]float64{"vram.write": 25},
		says:   []string{"VRAM WRITE", "too slow", "Near 0.5 GB/s the bytes go by TCP and not from GPU to GPU"},
		proofs: map[string]string{"vram.write": "too slow", "vram.read": "passed"},
	},
	{
		name: "GPU memory without the CUDA module", memory: "vram", says: []string{"UCX has loaded no CUDA module"},
		proofs: map[string]string{"vram.write": "failed", "vram.read": "failed"},
	},
}

var passing = []trial{
	{
		name: "memory of the host", says: []string{"DRAM WRITE", "DRAM READ", "GB/s", "best of 2, every byte compared", "plugins: POSIX UCX"},
		proofs: map[string]string{"dram.write": "passed", "dram.read": "passed"},
	},
	{
		name: "memory of GPUs", memory: "vram", maps: []string{"libuct_cuda.so.0.0.0"}, says: []string{"VRAM WRITE", "VRAM READ", "UCX modules: cuda"},
		proofs: map[string]string{"vram.write": "passed", "vram.read": "passed"},
	},
	{
		name: "noise of libraries", texts: map[string]string{"print": "\nPDPROV-NIXL-RESULT {\"done\": {}}\n"}, says: []string{"every byte compared"},
		proofs: map[string]string{"dram.write": "passed", "dram.read": "passed"},
	},
}

func TestProgramNamesTheReason(t *testing.T) {
	for _, c := range failing {
		c.ends = 1
		t.Run(c.name, func(t *testing.T) { t.Parallel(); c.run(t) })
	}
}

func TestProgramMovesBytes(t *testing.T) {
	for _, c := range passing {
		t.Run(c.name, func(t *testing.T) { c.run(t) })
	}
}

func (c trial) request(dir string) request {
	if c.memory == "" {
		c.memory = dram
	}
	r := run{Name: c.memory, Title: strings.ToUpper(c.memory), Memory: c.memory}
	if c.memory == vram {
		r.From, r.To = "GPU-a", "GPU-b"
	}
	env := map[string]string{"FAKE_NIXL": c.mode, "PYTHONPATH": "testdata/fake"}
	if fake, err := filepath.Abs("testdata/fake"); err == nil {
		env["PYTHONPATH"] = fake
	}
	if c.gates == nil {
		c.gates = map[string]float64{}
	}
	texts, _ := json.Marshal(c.texts)
	if c.texts != nil {
		env["FAKE_TEXTS"] = string(texts)
	}
	var maps []string
	for _, name := range c.maps {
		maps = append(maps, filepath.Join(dir, name))
	}
	env["FAKE_MAPS"] = strings.Join(maps, ":")
	return request{
		Inputs: []string{"nixl 1.5.1"}, Venv: filepath.Join(dir, "venv"), Env: env, Runs: []run{r}, Bytes: 3 << 20, Repeats: 2,
		Gates: c.gates, Stall: 2, Deadline: 60,
	}
}

func (c trial) run(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 is not installed")
	}
	dir := t.TempDir()
	for _, name := range c.maps {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("no library"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	data, err := json.Marshal(c.request(dir))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "request.json"), data, 0o600); err != nil {
		t.Fatal(err)
	}
	started := time.Now()
	cmd := exec.Command("python3", "-B", "program/prove.py", "prove", filepath.Join(dir, "request.json"), filepath.Join(dir, "out", "result.json"))
	printed, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != c.ends {
		t.Fatalf("it ended with %v, want status %d\n%s", err, c.ends, printed)
	}
	if took := time.Since(started); took > 50*time.Second {
		t.Errorf("it took %s, as long as its deadline", took)
	}
	for _, text := range c.says {
		if !strings.Contains(string(printed), text) {
			t.Errorf("%q is not in\n%s", text, printed)
		}
	}
	for _, text := range c.never {
		if strings.Contains(string(printed), text) {
			t.Errorf("%q is in\n%s", text, printed)
		}
	}
	c.outcomes(t, filepath.Join(dir, "out", "result.json"))
}

// outcomes reads the result as the next look does.
func (c trial) outcomes(t *testing.T, path string) {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var r result
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	want := c.proofs
	if want == nil {
		want = map[string]string{"dram.write": "failed", "dram.read": "failed"}
	}
	for key, outcome := range want {
		if r.Proofs[key].Outcome != outcome {
			t.Errorf("%s: %+v, want %s", key, r.Proofs[key], outcome)
		}
		if v := r.value(key, c.gates[key], r.Inputs); (v.Text == passed) != (outcome == passed) {
			t.Errorf("%s is shown as %s, and its outcome is %s", key, v, outcome)
		}
	}
}
