package gpu

import (
	"strings"
	"testing"

	"github.com/pdprov/pdprov/stages/stage"
	"github.com/pdprov/pdprov/stages/stagetest"
)

const driverGone = "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA driver is installed and running."

// Each way in which nvidia-smi fails on real hosts: nothing that it did not say is known
// afterwards, and the evidence has its words.
func TestBrokenSMI(t *testing.T) {
	for name, c := range map[string]struct{ body, want string }{
		"driver not loaded": {"echo \"" + driverGone + "\"; exit 9", driverGone},
		"mismatch":          {"echo 'Failed to initialize NVML: Driver/library version mismatch'; echo 'NVML library version: 570.124'; exit 18", "Driver/library version mismatch"},
		"no devices, 0":     {"echo 'No devices were found'", "No devices were found"},
		"no devices, 6":     {"echo 'No devices were found'; exit 6", "No devices were found"},
		"object not found":  {"echo 'something else'; exit 6", "exit status 6"},
		"silent failure":    {"exit 15", ""},
		"exit 66":           {"echo broken; exit 66", "broken"},
		"killed":            {"kill -9 $$", "killed"},
		"garbage":           {"echo garbage", "garbage"},
		"empty":             {"exit 0", "lists 0"},
		"banner":            {"echo '| NVIDIA-SMI 610.43.02              KMD Version: 610.43.02     CUDA UMD Version: 13.3     |'", "NVIDIA-SMI 610.43.02"},
	} {
		t.Run(name, func(t *testing.T) {
			b := one(t)
			b.tool("nvidia-smi", c.body)
			facts := b.look([]string{"sh"})
			if facts.Get(smiID).Outcome == stage.Absent {
				t.Error("a broken nvidia-smi counts as absent")
			}
			box := Read(facts)
			g := box.GPUs[0]
			if name != "empty" && box.Holders.State != stage.Unknown {
				t.Errorf("nobody is said to hold a GPU: %+v", box.Holders)
			}
			for field, v := range map[string]stage.Value{"index": g.Index, "memory": g.MemoryMiB, "mig": g.MIG, "ecc": g.ECC, "capability": g.Capability} {
				if v.State != stage.Unknown {
					t.Errorf("%s is %+v", field, v)
				}
			}
			if g.UUID.Text != "GPU-00000000-1111-2222-3333-444444444444" || g.Name.Text != "NVIDIA H200" || g.Minor.Text != "0" {
				t.Errorf("the driver's own files still tell: %+v", g)
			}
			if !strings.Contains(string(text(box)), "unanswered gpu:nvidia-smi: ") || !strings.Contains(string(text(box)), c.want) {
				t.Errorf("%s", text(box))
			}
		})
	}
}

func TestHangingSMI(t *testing.T) {
	b := one(t)
	b.tool("nvidia-smi", "sleep 60")
	b.tool("timeout", "exit 124") // what it ends with after 20 s
	if s := string(text(b.read())); !strings.Contains(s, "did not answer within 20 s") {
		t.Error(s)
	}
}

func TestNoSMI(t *testing.T) {
	b := one(t)
	b.remove("bin")
	box := b.read()
	if len(box.Unanswered) != 0 || box.GPUs[0].Index.State != stage.Unknown || box.Holders.State != stage.Unknown {
		t.Errorf("%s", text(box))
	}
}

// A field that the driver does not know is unknown by itself, under every shell.
func TestRefusedFields(t *testing.T) {
	stagetest.EachShell(t, func(t *testing.T, shell []string) {
		b := one(t)
		b.tool("nvidia-smi", `for bad in index gpu_recovery_action mig.mode.pending; do
  case $1 in
  *=index,uuid*) [ "$bad" != index ] || continue ;;
  esac
  case $1 in
  --query-gpu*[=,]"$bad"*)
    printf 'Field "%s" is not a valid field to query.\n\n' "$bad"
    exit 2
    ;;
  esac
done
case $1 in
--query-gpu=index*) echo '0, GPU-00000000-1111-2222-3333-444444444444, NVIDIA H200, 00000000:00:06.0, 580.159.04, 9.0, 143771, Enabled, Enabled, Disabled' ;;
--query-gpu=*) echo '00000000:00:06.0, Default, Enabled' ;;
esac`)
		g := Read(b.look(shell)).GPUs[0]
		if g.ComputeMode.Text != "Default" || g.PendingECC.Text != "Enabled" || g.Recovery.State != stage.Unknown || g.PendingMIG.State != stage.Unknown || g.Index.Text != "0" {
			t.Errorf("%+v", g)
		}
	})
}

// Words that stand for no value are never 0, and never a state.
func TestWordsWithoutValue(t *testing.T) {
	for _, word := range []string{"N/A", "[N/A]", "", "[Not Supported]", "Requested functionality has been deprecated", "[Deprecated since R999]", "[Unknown Error]", "zero", "-1", "1.5", "12 MiB"} {
		if v := cell(smiID, "memory.total", word, numberForm); v.State != stage.Unknown || v.Reason == "" {
			t.Errorf("%q is %+v", word, v)
		}
		if v := cell(smiID, "mig.mode.current", word, onOffForm); v.State != stage.Unknown {
			t.Errorf("%q is %+v", word, v)
		}
	}
}

func TestOneFewerThanOnTheBus(t *testing.T) {
	b := one(t)
	b.device(pci{"0000:00:07.0", "0x030200", "-1", "0-15", "nvidia"})
	s := string(text(b.read()))
	if !strings.Contains(s, "the PCI bus has 2 GPUs (0000:00:06.0 0000:00:07.0) and nvidia-smi lists 1 (0000:00:06.0)") ||
		!strings.Contains(s, "gpu.1.uuid: (unknown) nvidia-smi does not list 0000:00:07.0") {
		t.Error(s)
	}
}

func TestPlaces(t *testing.T) {
	for name, c := range map[string]struct {
		device  pci
		nodes   map[string]string
		node    string // "" is unknown
		because string
	}{
		"told":              {pci{node: "1", cpus: "8-15"}, map[string]string{"cpus": "0-15", "0": "0-7", "1": "8-15"}, "1", ""},
		"told, not online":  {pci{node: "1", cpus: "8-15"}, map[string]string{"cpus": "0-15", "0": "0-15"}, "", "not online"},
		"by processors":     {pci{node: "-1", cpus: "8-15"}, map[string]string{"cpus": "0-15", "0": "0-7", "1": "8-15"}, "1", ""},
		"holes":             {pci{node: "-1", cpus: "8,10-15"}, map[string]string{"cpus": "0-8,10-15", "0": "0-7", "1": "8,10-15"}, "1", ""},
		"no affinity":       {pci{node: "-1", cpus: "0-15"}, map[string]string{"cpus": "0-15", "0": "0-7", "1": "8-15"}, "", "all processors of the host"},
		"one node":          {pci{node: "-1", cpus: "0-15"}, map[string]string{"cpus": "0-15", "0": "0-15"}, "", "all processors of the host"},
		"no such node":      {pci{node: "-1", cpus: "4-11"}, map[string]string{"cpus": "0-15", "0": "0-7", "1": "8-15"}, "", "no node has its processors"},
		"no processors":     {pci{node: "-1", cpus: ""}, map[string]string{"cpus": "0-15", "0": "0-15"}, "", "neither"},
		"kernel without it": {pci{node: "-1", cpus: "0-7"}, map[string]string{"cpus": "0-15"}, "", "no node"},
	} {
		c.device.address, c.device.class, c.device.driver = "0000:00:06.0", "0x030200", "nvidia"
		g := newBox(t, "h200-580.159.04", c.nodes, c.device).read().GPUs[0]
		if g.Node.Text != c.node || !strings.Contains(g.Node.Reason, c.because) || (g.CPUs.State == stage.Present) != (c.node != "") {
			t.Errorf("%s: node %+v, cpus %+v", name, g.Node, g.CPUs)
		}
	}
}

func TestDriverFiles(t *testing.T) {
	for name, c := range map[string]struct {
		change func(b box)
		want   string
	}{
		"proprietary": {func(b box) {
			b.write("proc/driver/nvidia/version", "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.159.04  Thu\n")
		}, "driver.flavour: proprietary"},
		"not loaded": {func(b box) { b.remove("sys/module/nvidia") }, "driver.loaded: (absent)"},
		"container": {func(b box) {
			b.remove("sys/module")
			b.write("proc/devices", "Character devices:\n  1 mem\n195 nvidia-frontend\n")
		}, "driver.loaded: 580.159.04"},
		"container without it": {func(b box) {
			b.remove("sys/module")
			b.remove("proc/driver")
			b.write("proc/devices", "Character devices:\n  1 mem\n")
		}, "driver.loaded: (absent)"},
		"nothing to see":    {func(b box) { b.remove("sys/module") }, "driver.loaded: (unknown) neither /"},
		"two truths":        {func(b box) { b.write("sys/module/nvidia/version", "570.124\n") }, "driver.loaded: (unknown) the nvidia module is loaded"},
		"no version in sys": {func(b box) { b.remove("sys/module/nvidia/version") }, "driver.loaded: 580.159.04"},
		"two libraries": {func(b box) {
			b.write("usr/lib64/libnvidia-ml.so.570.124.06", "")
			b.link("libnvidia-ml.so.570.124.06", "usr/lib64/libnvidia-ml.so.1")
		}, "driver.library: (unknown) two libraries"},
		"nameless library": {func(b box) {
			b.remove("usr/lib")
			b.write("usr/lib/libnvidia-ml.so.1", "")
		}, "driver.library: (unknown) the name of"},
		"uuid before first use": {func(b box) {
			b.write("proc/driver/nvidia/gpus/0000:00:06.0/information", "GPU UUID: \t GPU-????????-????-????-????-????????????\nBus Location: \t 0000:00:06.0\n")
		}, "gpu.0.uuid: GPU-00000000-1111"},
		"two uuids": {func(b box) {
			b.write("proc/driver/nvidia/gpus/0000:00:06.0/information", "GPU UUID: \t GPU-10000000-1111-2222-3333-444444444444\nBus Location: \t 0000:00:06.0\n")
		}, "gpu.0.uuid: (unknown) nvidia-smi says"},
		"vfio":          {func(b box) { b.device(pci{"0000:00:07.0", "0x030000", "-1", "0-15", "vfio-pci"}) }, "gpu.1.bound_driver: vfio-pci"},
		"no driver":     {func(b box) { b.device(pci{"0000:00:07.0", "0x030000", "-1", "0-15", ""}) }, "gpu.1.bound_driver: (absent)"},
		"nvswitch":      {func(b box) { b.device(pci{"0000:00:08.0", "0x068000", "-1", "0-15", ""}) }, "gpu.nvswitches: 1"},
		"dead device":   {func(b box) { b.write("sys/bus/pci/devices/0000:00:09.0/x", "") }, "gpu.count: (unknown) cannot read"},
		"no sysfs":      {func(b box) { b.remove("sys/bus"); b.remove("sys/devices") }, "gpu.count: (unknown) sysfs is not mounted"},
		"mig processes": {func(b box) { b.tool("nvidia-smi", "echo '1, MIG-x/1/0, 5, a'") }, "gpu.holders: 1"},
	} {
		b := one(t)
		c.change(b)
		if s := string(text(b.read())); !strings.Contains(s, c.want) {
			t.Errorf("%s: want %q in\n%s", name, c.want, s)
		}
	}
}

func TestBrokenTopology(t *testing.T) {
	const good = "\tGPU0\tGPU1\tNIC0\tCPU Affinity\nGPU0\t X \tNV18\tPXB\t0-7\nGPU1\tNV18\t X \tSYS\t0-7\nNIC0\tPXB\tSYS\t X \n"
	links, err := parseTopology(good)
	if err != nil || strings.Join(links["1"], " ") != "NV18 X" {
		t.Fatalf("%v %v", links, err)
	}
	for name, bad := range map[string]string{
		"empty": "", "no header": "garbage\n", "a row is missing": strings.Replace(good, "GPU1\tNV18", "x\tNV18", 1),
		"unknown code": strings.Replace(good, "NV18\tPXB", "FAST\tPXB", 1), "short row": "\tGPU0\tGPU1\nGPU0\t X \n",
		"twice": good + "GPU0\t X \tNV18\n", "self elsewhere": strings.Replace(good, " X \tNV18", "NV18\t X ", 1),
	} {
		if links, err := parseTopology(bad); err == nil {
			t.Errorf("%s: %v", name, links)
		}
	}
}

func FuzzTables(f *testing.F) {
	f.Add("0, GPU-00000000-1111-2222-3333-444444444444, NVIDIA H200, 00000000:00:06.0, 580.159.04, 9.0, 143771, Enabled, Enabled, Disabled")
	f.Add("4711, GPU-e588912b-1368-6b4f-0e2a-0d08f8afb39b, 512, a, b")
	f.Add("\t\x1b[4mGPU0\tCPU Affinity\x1b[0m\nGPU0\t X \t0-15\t0\t\tN/A\n")
	f.Fuzz(func(t *testing.T, out string) {
		rows, err := parseRows(smiID, said{fields: strings.Split(coreFields, ","), exit: "0", out: out})
		if err == nil {
			for _, r := range rows {
				if v := r.value("memory.total", numberForm); v.State == stage.Present && !strings.Contains(out, v.Text) {
					t.Errorf("memory %+v of %q", v, out)
				}
			}
		}
		if processes, err := parseProcesses(said{fields: strings.Split(processFields, ","), exit: "0", out: out}); err == nil && len(processes) > strings.Count(out, "\n")+1 {
			t.Errorf("%d processes of %q", len(processes), out)
		}
		if links, err := parseTopology(out); err == nil {
			for _, row := range links {
				if len(row) != len(links) {
					t.Errorf("not square: %v of %q", links, out)
				}
			}
		}
	})
}
