package inside

import (
	"fmt"
)

// printXML is nvidia-smi -q -x with the elements that provisioning reads.
func printXML(gpus []indexed, driver string) {
	fmt.Printf(`<?xml version="1.0" ?>
<!DOCTYPE nvidia_smi_log SYSTEM "nvsmi_device_v13.dtd">
<nvidia_smi_log>
	<timestamp>Wed Dec  2 12:00:00 2026</timestamp>
	<driver_version>%s</driver_version>
	<cuda_version>%s</cuda_version>
	<attached_gpus>%d</attached_gpus>
`, driver, cuda(driver), len(gpus))
	for _, g := range gpus {
		fmt.Printf(gpuXML, g.bus(), g.Name, g.Architecture, g.Serial, g.UUID, g.Minor, g.VBIOS, g.Virtual, driver,
			g.bus(), g.Gen, g.Memory, used(g), g.Memory-used(g), g.State)
	}
	fmt.Println("</nvidia_smi_log>")
}

const gpuXML = `	<gpu id="%s">
		<product_name>%s</product_name>
		<product_brand>NVIDIA</product_brand>
		<product_architecture>%s</product_architecture>
		<display_mode>Requested functionality has been deprecated</display_mode>
		<persistence_mode>Enabled</persistence_mode>
		<addressing_mode>None</addressing_mode>
		<mig_mode>
			<current_mig>Disabled</current_mig>
			<pending_mig>Disabled</pending_mig>
		</mig_mode>
		<serial>%s</serial>
		<uuid>%s</uuid>
		<minor_number>%d</minor_number>
		<vbios_version>%s</vbios_version>
		<gpu_virtualization_mode>
			<virtualization_mode>%s</virtualization_mode>
			<host_vgpu_mode>N/A</host_vgpu_mode>
		</gpu_virtualization_mode>
		<gpu_recovery_action>None</gpu_recovery_action>
		<gsp_firmware_version>%s</gsp_firmware_version>
		<pci>
			<pci_bus_id>%s</pci_bus_id>
			<pci_gpu_link_info>
				<pcie_gen>
					<max_link_gen>5</max_link_gen>
					<current_link_gen>%d</current_link_gen>
				</pcie_gen>
				<link_widths>
					<max_link_width>16x</max_link_width>
					<current_link_width>16x</current_link_width>
				</link_widths>
			</pci_gpu_link_info>
		</pci>
		<fb_memory_usage>
			<total>%d MiB</total>
			<reserved>638 MiB</reserved>
			<used>%d MiB</used>
			<free>%d MiB</free>
		</fb_memory_usage>
		<bar1_memory_usage>
			<total>131072 MiB</total>
			<used>1 MiB</used>
			<free>131071 MiB</free>
		</bar1_memory_usage>
		<performance_state>%s</performance_state>
		<compute_mode>Default</compute_mode>
		<ecc_mode>
			<current_ecc>Enabled</current_ecc>
			<pending_ecc>Enabled</pending_ecc>
		</ecc_mode>
		<ecc_errors>
			<volatile>
				<sram_correctable>0</sram_correctable>
				<sram_uncorrectable_parity>0</sram_uncorrectable_parity>
				<sram_uncorrectable_secded>0</sram_uncorrectable_secded>
				<dram_correctable>0</dram_correctable>
				<dram_uncorrectable>0</dram_uncorrectable>
			</volatile>
		</ecc_errors>
		<remapped_rows>
			<remapped_row_corr>0</remapped_row_corr>
			<remapped_row_unc>0</remapped_row_unc>
			<remapped_row_pending>No</remapped_row_pending>
			<remapped_row_failure>No</remapped_row_failure>
		</remapped_rows>
		<fabric>
			<state>N/A</state>
			<status>N/A</status>
		</fabric>
		<processes>
		</processes>
	</gpu>
`
