package inside

import (
	"fmt"
	"os"
	"strings"
)

// app is a process that holds GPUs, as the switch left it.
type app struct{ pid, name string }

// apps are those processes that still live.
func apps() []app {
	var found []app
	for line := range strings.Lines(set("compute-process") + "\n") {
		pid, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		if pid == "" || pid == "off" {
			continue
		}
		if _, err := os.Stat("/proc/" + pid); err == nil {
			found = append(found, app{pid, name})
		}
	}
	return found
}

const appMemory = 91542

// used is the memory of a GPU in use: every process here holds all GPUs.
func used(indexed) int { return appMemory * min(1, len(apps())) }

func (c smiCall) queryApps(gpus []indexed) int {
	format, ok := c.csv()
	if !ok {
		fmt.Print(noFormat)
		return 2
	}
	names := split(c.apps)
	var header []string
	for _, n := range names {
		h, ok := map[string]string{
			"pid": "pid", "process_name": "process_name", "name": "process_name", "gpu_uuid": "gpu_uuid", "gpu_name": "gpu_name",
			"gpu_bus_id": "gpu_bus_id", "gpu_serial": "gpu_serial", "timestamp": "timestamp",
			"used_memory": "used_gpu_memory [MiB]", "used_gpu_memory": "used_gpu_memory [MiB]",
		}[n]
		if !ok {
			fmt.Printf("Field %q is not a valid field to query.\n\n", n)
			return 2
		}
		header = append(header, h)
	}
	if format.header {
		fmt.Println(strings.Join(header, ", "))
	}
	for _, a := range apps() {
		for _, g := range gpus {
			memory := fmt.Sprint(appMemory)
			if format.units {
				memory += " MiB"
			}
			values := map[string]string{
				"pid": a.pid, "process_name": a.name, "name": a.name, "gpu_uuid": g.UUID, "gpu_name": g.Name, "gpu_bus_id": g.bus(),
				"gpu_serial": g.Serial, "timestamp": "2026/12/02 12:00:00.000", "used_memory": memory, "used_gpu_memory": memory,
			}
			var row []string
			for _, n := range names {
				row = append(row, values[n])
			}
			fmt.Println(strings.Join(row, ", "))
		}
	}
	return 0
}
