package inside

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/pdprov/pdprov/internal/lab/gpubox"
)

// write makes a file and its folders.
func write(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o644)
}

// writeAll makes files below a folder.
func writeAll(dir string, files map[string]string) error {
	for name, text := range files {
		if err := write(filepath.Join(dir, name), text); err != nil {
			return err
		}
	}
	return nil
}

// show writes what the loaded modules mean into the trees. They stay mounted, so what
// is in them changes and not the folders themselves.
func show(s state, m gpubox.Machine) error {
	return errors.Join(showModules(s), showBus(s, m), showDriver(s, m), showNodes(s, m), showList(s))
}

func showModules(s state) error {
	dir := gpubox.Run + "/module"
	for _, name := range []string{"nvidia", "nvidia_modeset", "nvidia_drm", "nvidia_uvm", "nvidia_peermem", "nouveau"} {
		path := filepath.Join(dir, name)
		m, loaded := s.module(name)
		if err := os.RemoveAll(path); err != nil {
			return err
		}
		if !loaded {
			continue
		}
		files := map[string]string{
			"refcnt": fmt.Sprintf("%d\n", s.references(name)), "initstate": "live\n",
			"srcversion": m.Srcversion + "\n", "taint": "OE\n", "coresize": "14299136\n",
		}
		if m.Version != "" {
			files["version"] = m.Version + "\n"
		}
		if err := writeAll(path, files); err != nil {
			return err
		}
		for _, user := range s.users(name) {
			if err := write(filepath.Join(path, "holders", user), ""); err != nil {
				return err
			}
		}
	}
	return nil
}

// showList is /proc/modules, where this machine's kernel has one to stand before.
func showList(s state) error {
	return write(gpubox.Run+"/modules", s.list())
}

// list is /proc/modules.
func (s state) list() string {
	var b strings.Builder
	for i := len(s.Modules) - 1; i >= 0; i-- {
		m := s.Modules[i]
		users := "-"
		if u := s.users(m.Name); len(u) > 0 {
			users = strings.Join(u, ",") + ","
		}
		fmt.Fprintf(&b, "%s %d %d %s Live 0x0000000000000000 (OE)\n", m.Name, size(m.Name), s.references(m.Name), users)
	}
	return b.String()
}

func size(name string) int {
	sizes := map[string]int{"nvidia": 14299136, "nvidia_uvm": 2125824, "nvidia_modeset": 1724416, "nvidia_drm": 139264}
	if n, ok := sizes[name]; ok {
		return n
	}
	return 16384
}

// showBus writes the PCI devices with the driver that has them.
func showBus(s state, m gpubox.Machine) error {
	dir := gpubox.Run + "/pci"
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if err := os.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	for _, d := range m.Others {
		if err := showDevice(dir, d, ""); err != nil {
			return err
		}
	}
	driver := ""
	if _, ok := s.module("nouveau"); ok {
		driver = "nouveau"
	} else if _, ok := s.module("nvidia"); ok {
		driver = "nvidia"
	}
	for _, g := range m.GPUs {
		if err := showDevice(dir, g.Device, driver); err != nil {
			return err
		}
		speed := []string{"", "2.5", "5.0", "8.0", "16.0", "32.0"}
		if err := writeAll(filepath.Join(dir, g.Address), map[string]string{
			"current_link_speed": speed[g.Gen] + " GT/s PCIe\n", "current_link_width": "16\n",
			"max_link_speed": "32.0 GT/s PCIe\n", "max_link_width": "16\n",
		}); err != nil {
			return err
		}
	}
	return nil
}

func showDevice(dir string, d gpubox.Device, driver string) error {
	path := filepath.Join(dir, d.Address)
	if err := writeAll(path, map[string]string{
		"vendor": d.Vendor + "\n", "device": d.Device + "\n", "class": d.Class + "\n",
		"numa_node": fmt.Sprintf("%d\n", d.Node), "local_cpulist": d.CPUs + "\n",
	}); err != nil {
		return err
	}
	if driver == "" {
		return nil
	}
	return os.Symlink("../../../../bus/pci/drivers/"+driver, filepath.Join(path, "driver"))
}

// showNodes writes the NUMA nodes; half of the memory of each counts as free.
func showNodes(_ state, m gpubox.Machine) error {
	dir := gpubox.Run + "/node"
	last := fmt.Sprintf("0-%d", len(m.Nodes)-1)
	if len(m.Nodes) == 1 {
		last = "0"
	}
	files := map[string]string{
		"online": last + "\n", "possible": last + "\n", "has_cpu": last + "\n", "has_memory": last + "\n", "has_normal_memory": last + "\n",
	}
	for i, n := range m.Nodes {
		at := fmt.Sprintf("node%d/", i)
		files[at+"cpulist"] = n.CPUs + "\n"
		files[at+"cpumap"] = cpumap(n.CPUs) + "\n"
		files[at+"distance"] = n.Distances + "\n"
		files[at+"meminfo"] = fmt.Sprintf("Node %d MemTotal:       %d kB\nNode %d MemFree:        %d kB\nNode %d MemUsed:        %d kB\n",
			i, n.Size*1024, i, (n.Size-3000)*1024, i, 3000*1024)
	}
	return writeAll(dir, files)
}

// cpumap writes a list such as 0-3,8 as the kernel writes a mask.
func cpumap(list string) string {
	words := make([]uint32, 8)
	for _, part := range strings.Split(list, ",") {
		var from, to int
		if n, _ := fmt.Sscanf(part, "%d-%d", &from, &to); n == 1 {
			to = from
		}
		for cpu := from; cpu <= to; cpu++ {
			words[cpu/32] |= 1 << (cpu % 32)
		}
	}
	var text []string
	for i := len(words) - 1; i >= 0; i-- {
		text = append(text, fmt.Sprintf("%08x", words[i]))
	}
	return strings.Join(text, ",")
}
