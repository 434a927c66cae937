package gpu

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pdprov/pdprov/internal/golden"
	"github.com/pdprov/pdprov/internal/posixsh"
	"github.com/pdprov/pdprov/stages/stage"
	"github.com/pdprov/pdprov/stages/stagetest"
)

// box is a folder that looks like a GPU host: sysfs, procfs, a library, and programs.
type box struct {
	t   *testing.T
	dir string
}

// pci is a device of sysfs.
type pci struct{ address, class, node, cpus, driver string }

// newBox makes a box of the recorded answers in testdata. node has its GPUs' places.
func newBox(t *testing.T, recorded string, nodes map[string]string, devices ...pci) box {
	t.Helper()
	b := box{t, t.TempDir()}
	version := strings.SplitN(recorded, "-", 2)[1]
	b.write("sys/module/nvidia/version", version+"\n")
	b.write("sys/module/nvidia/srcversion", "06B987C9B8B712FF4E7FB47\n")
	b.write("proc/driver/nvidia/version", b.recorded(recorded+".version.txt"))
	b.write("usr/lib/x86_64-linux-gnu/libnvidia-ml.so."+version, "")
	b.link("libnvidia-ml.so."+version, "usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1")
	b.write("sys/devices/system/cpu/online", nodes["cpus"]+"\n")
	for _, id := range []string{"0", "1"} {
		if list, ok := nodes[id]; ok {
			b.write("sys/devices/system/node/node"+id+"/cpulist", list+"\n")
			b.write("sys/devices/system/node/node"+id+"/meminfo", "Node "+id+" MemTotal:       792241024 kB\nNode "+id+" MemFree:        789052416 kB\n")
			b.write("sys/devices/system/node/online", "0\n")
		}
	}
	if nodes["1"] != "" {
		b.write("sys/devices/system/node/online", "0-1\n")
	}
	b.write("sys/bus/pci/devices/0000:00:00.0/vendor", "0x8086\n")
	for _, d := range devices {
		b.device(d)
	}
	b.smi(recorded)
	return b
}

func (b box) device(d pci) {
	at := "sys/bus/pci/devices/" + d.address + "/"
	for name, text := range map[string]string{
		"vendor": "0x10de", "class": d.class, "device": "0x2bb5", "numa_node": d.node, "local_cpulist": d.cpus,
		"current_link_width": "16", "current_link_speed": "2.5 GT/s PCIe",
	} {
		b.write(at+name, text+"\n")
	}
	if d.driver != "" {
		b.link("../../../bus/pci/drivers/"+d.driver, at+"driver")
	}
}

// smi answers the four calls with recorded text.
func (b box) smi(recorded string) {
	b.tool("nvidia-smi", fmt.Sprintf(`case $1 in
--query-gpu=index*) f=query.csv ;;
--query-gpu=pci*) f=more.csv ;;
--query-compute-apps=*) f=apps.csv ;;
*) f=topo.txt ;;
esac
while IFS= read -r line; do printf '%%s\n' "$line"; done <%s."$f"`, posixsh.Quote(b.path(recorded))))
}

func (b box) path(recorded string) string {
	path, err := filepath.Abs("testdata/" + recorded)
	if err != nil {
		b.t.Fatal(err)
	}
	return path
}

func (b box) recorded(name string) string {
	b.t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		b.t.Fatal(err)
	}
	return string(text)
}

func (b box) write(path, text string) {
	b.t.Helper()
	path = filepath.Join(b.dir, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		b.t.Fatal(err)
	}
}

func (b box) link(target, path string) {
	b.t.Helper()
	if err := os.Symlink(target, filepath.Join(b.dir, path)); err != nil {
		b.t.Fatal(err)
	}
}

func (b box) remove(path string) {
	b.t.Helper()
	if err := os.RemoveAll(filepath.Join(b.dir, path)); err != nil {
		b.t.Fatal(err)
	}
}

func (b box) tool(name, body string) {
	b.t.Helper()
	b.write("bin/"+name, "#!/bin/sh\n"+body+"\n")
	if err := os.Chmod(filepath.Join(b.dir, "bin", name), 0o755); err != nil {
		b.t.Fatal(err)
	}
}

// look asks the real questions of the box.
func (b box) look(shell []string) stage.Facts {
	b.t.Helper()
	probes := Probes()
	inside := strings.NewReplacer("/sys/", b.dir+"/sys/", "/proc/driver", b.dir+"/proc/driver", "/proc/devices", b.dir+"/proc/devices", "/usr/lib", b.dir+"/usr/lib")
	for i := range probes {
		probes[i].Script = "PATH=" + posixsh.Quote(b.dir+"/bin") + ":$PATH\n" + inside.Replace(probes[i].Script)
	}
	return stagetest.Look(b.t, shell, probes)
}

func (b box) read() Box { b.t.Helper(); return Read(b.look([]string{"sh"})) }

func eight(t *testing.T) box {
	t.Helper()
	var devices []pci
	for i, bus := range []string{"06", "07", "75", "76", "84", "85", "f4", "f5"} {
		node, cpus := "0", "0-63,128-191"
		if i > 3 {
			node, cpus = "1", "64-127,192-238,240-255"
		}
		devices = append(devices, pci{"0000:" + bus + ":00.0", "0x030200", node, cpus, "nvidia"})
	}
	devices = append(devices, pci{"0000:06:00.1", "0x040300", "0", "0-63,128-191", "snd_hda_intel"})
	return newBox(t, "rtxpro6000x8-595.58.03", map[string]string{"cpus": "0-238,240-255", "0": "0-63,128-191", "1": "64-127,192-238,240-255"}, devices...)
}

func one(t *testing.T) box {
	t.Helper()
	b := newBox(t, "h200-580.159.04", map[string]string{"cpus": "0-15", "0": "0-15"}, pci{"0000:00:06.0", "0x030200", "-1", "0-15", "nvidia"})
	b.write("proc/driver/nvidia/gpus/0000:00:06.0/information", b.recorded("h200-580.159.04.information.txt"))
	return b
}

func text(b Box) []byte {
	var t strings.Builder
	s := b.Surface()
	for _, p := range s.Paths() {
		fmt.Fprintf(&t, "%s: %s %s\n", p, s[p], s[p].Reason)
	}
	fmt.Fprintf(&t, "topology %s %v\n", b.Topology.Known, b.Topology.Links)
	for _, g := range b.Unanswered {
		fmt.Fprintf(&t, "unanswered %s: %s\n", g.Probe, g.Reason)
	}
	return []byte(t.String())
}

// The two recorded machines, asked under every shell.
func TestRecordedMachines(t *testing.T) {
	for name, make := range map[string]func(*testing.T) box{"rtxpro6000x8-595.58.03": eight, "h200-580.159.04": one} {
		t.Run(name, func(t *testing.T) {
			stagetest.EachShell(t, func(t *testing.T, shell []string) {
				golden.Check(t, "testdata/"+name+".want.txt", text(Read(make(t).look(shell))))
			})
		})
	}
}

func TestScriptsAreClean(t *testing.T) {
	for _, p := range Probes() {
		stagetest.Lint(t, p.ID, p.Script)
	}
}

func TestNoGPU(t *testing.T) {
	b := newBox(t, "h200-580.159.04", map[string]string{"cpus": "0-15", "0": "0-15"})
	for _, path := range []string{"sys/module/nvidia", "proc/driver", "usr/lib", "bin"} {
		b.remove(path)
	}
	b.tool("ldconfig", "echo '0 libs found in cache'")
	box := b.read()
	if box.Count.Text != "0" || len(box.GPUs) != 0 || len(box.Unanswered) != 0 {
		t.Errorf("%s", text(box))
	}
	b.tool("nvidia-smi", "echo 'No devices were found'; exit 6")
	if seen := b.read(); len(seen.Unanswered) != 0 || seen.Holders.Text != "0" {
		t.Errorf("nvidia-smi finds no device where there is none: %s", text(seen))
	}
	if box.Driver.Loaded.State != stage.None || box.Driver.Library.State != stage.None {
		t.Errorf("%+v", box.Driver)
	}
}
