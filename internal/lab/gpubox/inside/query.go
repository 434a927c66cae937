package inside

import (
	"fmt"
	"os"
	"strings"
)

// field is a name of --query-gpu.
type field struct {
	unit  string
	value func(g indexed, driver string) string
}

func fixed(value string) field {
	return field{value: func(indexed, string) string { return value }}
}

func measured(unit, value string) field {
	return field{unit: unit, value: func(indexed, string) string { return value }}
}

// fields that nvidia-smi 580 knows, as far as provisioning asks for them.
func fields() map[string]field {
	return map[string]field{
		"timestamp":      fixed("2026/12/02 12:00:00.000"),
		"driver_version": {value: func(_ indexed, driver string) string { return driver }},
		"count":          {value: func(indexed, string) string { return fmt.Sprint(len(machine().GPUs)) }},
		"index":          {value: func(g indexed, _ string) string { return fmt.Sprint(g.index) }},
		"name":           {value: func(g indexed, _ string) string { return g.Name }},
		"gpu_name":       {value: func(g indexed, _ string) string { return g.Name }},
		"uuid":           {value: func(g indexed, _ string) string { return g.UUID }},
		"gpu_uuid":       {value: func(g indexed, _ string) string { return g.UUID }},
		"serial":         {value: func(g indexed, _ string) string { return g.Serial }},
		"pci.bus_id":     {value: func(g indexed, _ string) string { return g.bus() }},
		"gpu_bus_id":     {value: func(g indexed, _ string) string { return g.bus() }},
		"pci.domain":     fixed("0x0000"),
		"pci.bus":        {value: func(g indexed, _ string) string { return "0x" + g.bus()[9:11] }},
		"pci.device_id":  {value: func(g indexed, _ string) string { return "0x" + strings.ToUpper(g.Device.Device[2:]) + "10DE" }},
		"vbios_version":  {value: func(g indexed, _ string) string { return g.VBIOS }},
		"compute_cap":    {value: func(g indexed, _ string) string { return g.Cap }},

		"memory.total":    {"MiB", func(g indexed, _ string) string { return fmt.Sprint(g.Memory) }},
		"memory.used":     {"MiB", func(g indexed, _ string) string { return fmt.Sprint(used(g)) }},
		"memory.free":     {"MiB", func(g indexed, _ string) string { return fmt.Sprint(g.Memory - used(g)) }},
		"memory.reserved": measured("MiB", "638"),

		"persistence_mode":                       fixed("Enabled"),
		"ecc.mode.current":                       fixed("Enabled"),
		"ecc.mode.pending":                       fixed("Enabled"),
		"mig.mode.current":                       fixed("Disabled"),
		"mig.mode.pending":                       fixed("Disabled"),
		"compute_mode":                           fixed("Default"),
		"display_mode":                           fixed("Requested functionality has been deprecated"),
		"display_attached":                       fixed("Yes"),
		"display_active":                         fixed("Disabled"),
		"addressing_mode":                        fixed("None"),
		"fabric.state":                           fixed("N/A"),
		"fabric.status":                          fixed("N/A"),
		"accounting.mode":                        fixed("Disabled"),
		"inforom.image":                          fixed("G520.0282.02.02"),
		"gom.current":                            fixed("[N/A]"),
		"retired_pages.sbe":                      fixed("[N/A]"),
		"reset_status.reset_required":            fixed("No"),
		"gpu_recovery_action":                    fixed("None"),
		"ecc.errors.corrected.volatile.total":    fixed("0"),
		"ecc.errors.uncorrected.volatile.total":  fixed("0"),
		"ecc.errors.uncorrected.aggregate.total": fixed("0"),
		"remapped_rows.pending":                  fixed("No"),
		"remapped_rows.failure":                  fixed("No"),
		"pcie.link.gen.current":                  {value: func(g indexed, _ string) string { return fmt.Sprint(g.Gen) }},
		"pcie.link.gen.gpucurrent":               {value: func(g indexed, _ string) string { return fmt.Sprint(g.Gen) }},
		"pcie.link.gen.max":                      fixed("5"),
		"pcie.link.gen.gpumax":                   fixed("5"),
		"pcie.link.gen.hostmax":                  fixed("5"),
		"pcie.link.width.current":                fixed("16"),
		"pcie.link.width.max":                    fixed("16"),
		"pstate":                                 {value: func(g indexed, _ string) string { return g.State }},
		"temperature.gpu":                        fixed("37"),
		"temperature.memory":                     fixed("N/A"),
		"utilization.gpu":                        measured("%", "0"),
		"utilization.memory":                     measured("%", "0"),
		"fan.speed":                              measured("%", "[N/A]"),
		"power.draw":                             {"W", func(g indexed, _ string) string { return g.Idle }},
		"power.limit":                            {"W", func(g indexed, _ string) string { return g.Watts }},
		"power.max_limit":                        {"W", func(g indexed, _ string) string { return g.Watts }},
		"power.default_limit":                    {"W", func(g indexed, _ string) string { return g.Watts }},
		"enforced.power.limit":                   {"W", func(g indexed, _ string) string { return g.Watts }},
		"clocks.sm":                              measured("MHz", "180"),
		"clocks.max.sm":                          measured("MHz", "2430"),
		"clocks.mem":                             measured("MHz", "405"),
		"clocks.max.mem":                         measured("MHz", "12481"),
		"gsp.mode.current":                       fixed("Enabled"),
		"gsp.mode.default":                       fixed("Enabled"),
		"protected_memory.total":                 measured("MiB", "0"),
		"driver_model.current":                   fixed("[N/A]"),
		"vgpu_driver_capability.heterogenous_multivGPU": fixed("[N/A]"),
	}
}

// csv holds what --format asked for.
type csv struct{ header, units bool }

func (c smiCall) csv() (csv, bool) {
	words := strings.Split(c.format, ",")
	f := csv{header: true, units: true}
	ok := false
	for _, w := range words {
		switch strings.TrimSpace(w) {
		case "csv":
			ok = true
		case "noheader":
			f.header = false
		case "nounits":
			f.units = false
		}
	}
	return f, ok
}

const noFormat = "\"--format=\" switch is missing. Please run 'nvidia-smi -h' for help.\n\n"

func (c smiCall) queryGPU(gpus []indexed, driver string) int {
	format, ok := c.csv()
	if !ok {
		fmt.Print(noFormat)
		return 2
	}
	names := split(c.query)
	known := fields()
	var header []string
	for _, n := range names {
		f, ok := known[n]
		if !ok || n == set("smi-unknown-field") {
			fmt.Printf("Field %q is not a valid field to query.\n\n", n)
			return 2
		}
		header = append(header, title(n, f.unit))
	}
	if format.header {
		fmt.Println(strings.Join(header, ", "))
	}
	for _, g := range gpus {
		var row []string
		for _, n := range names {
			f := known[n]
			value := odd(n, f, f.value(g, driver))
			if f.unit != "" && format.units && !strings.ContainsAny(value, "[N") {
				value += " " + f.unit
			}
			row = append(row, value)
		}
		fmt.Println(strings.Join(row, ", "))
	}
	return 0
}

func title(name, unit string) string {
	if unit != "" {
		return name + " [" + unit + "]"
	}
	return name
}

func split(list string) []string {
	var names []string
	for _, n := range strings.Split(list, ",") {
		names = append(names, strings.TrimSpace(n))
	}
	return names
}

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
