package inside

import (
	"fmt"
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
