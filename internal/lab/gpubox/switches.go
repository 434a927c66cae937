package gpubox

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Switch is a fact or a failure of a host that can be set while it runs.
type Switch struct {
	Name   string
	Values []string // the first is what a host has from the start; capitals stand for anything
	About  string
}

// AllSwitches lists what can be set on a GPU box. What they do takes effect at once
// where the text does not say otherwise.
func AllSwitches() []Switch {
	return slices.Concat(smiSwitches(), hardwareSwitches(), driverSwitches(), packageSwitches(), bootSwitches())
}

func smiSwitches() []Switch {
	return []Switch{
		{"smi", []string{"works", "missing", "hang", "hang-unkillable", "exit-9", "no-devices", "no-devices-0"}, "what nvidia-smi does: hang-unkillable does not even end by SIGKILL, until the host reboots (needs /dev/fuse); no-devices-0 says so with exit status 0"},
		{"smi-unknown-field", []string{"none", "FIELD"}, "a field of --query-gpu that nvidia-smi does not know"},
		{"smi-banner", []string{"r580", "r610"}, "words of nvidia-smi's banner and --version; r610 has KMD Version and CUDA UMD Version"},
		{"smi-ansi", []string{"on", "off"}, "escape codes in the header of topo -m"},
		{"smi-numbers", []string{"right", "na", "bracket-na", "empty", "deprecated"}, "what stands in fields that should be numbers"},
		{"smi-order", []string{"pci", "changed"}, "which GPU has which index"},
	}
}

func hardwareSwitches() []Switch {
	return []Switch{
		{"gpus", []string{"all", "one-lost", "one-gone"}, "the last GPU: lost is on the bus and not in nvidia-smi, gone is not on the bus either"},
		{"link", []string{"real", "idle", "busy"}, "generation of the PCIe links now: 1 when idle, 5 when busy"},
		{"numa", []string{"real", "none"}, "none: numa_node is -1 and each GPU is near all CPUs"},
		{"nvswitch", []string{"none", "present"}, "four NVSwitches on the bus"},
		{"secure-boot", []string{"bios", "on", "off"}, "whether there are EFI variables and what they say; an unsigned module is refused from the next load on"},
		{"compute-process", []string{"off", "plain", "comma"}, "a process that holds all GPUs; comma: with a comma in its name"},
	}
}

func driverSwitches() []Switch {
	return []Switch{
		{"library", []string{"same", "newer"}, "newer: the driver's libraries are upgraded as unattended-upgrades does, dated 2026-11-30 06:12; same goes back"},
		{"pending-kernel", []string{"none", "without-headers", "with-headers"}, "a newer kernel is installed. The next boot takes what is loaded from it, though uname still says the machine's own"},
		{"dkms-build", []string{"works", "fails"}, "fails: a module does not build, and apt-get still exits with 0"},
		{"dkms-form", []string{"3", "2"}, "the form of dkms status"},
		{"modinfo", []string{"works", "missing"}, "whether the host has modinfo"},
		{"fabric-manager", []string{"none", "other"}, "other: the fabric manager of another version than the driver is installed"},
	}
}

func packageSwitches() []Switch {
	return []Switch{
		{"hold", []string{"none", "all", "gap"}, "which of the driver's packages are held; gap: all but the libraries"},
		{"second-source", []string{"none", "conflicting"}, "conflicting: NVIDIA's repository a second time, with another key: apt-get update fails on Signed-By where the first names a key"},
		{"apt-lock", []string{"0", "SECONDS"}, "how long a process holds apt's and dpkg's locks, from now on"},
		{"dpkg", []string{"whole", "interrupted"}, "interrupted: dpkg was killed within a package's installation"},
		{"needrestart", []string{"none", "asks"}, "asks: a question after each installation waits for ever, unless NEEDRESTART_MODE or DEBIAN_FRONTEND says not to ask"},
		{"clock", []string{"right", "behind"}, "behind: the repositories of the whole lab are dated 17 days ahead, which is how a late clock looks to apt"},
	}
}

func bootSwitches() []Switch {
	return []Switch{
		{"ssh-delay", []string{"0", "SECONDS"}, "ssh answers that much later, from the next boot on"},
		{"shutdown-delay", []string{"0", "SECONDS"}, "ssh and systemd go on that long after the order to reboot"},
		{"reboot", []string{"returns", "ignored", "never-returns"}, "ignored: an order to reboot is taken and nothing happens; never-returns: the next reboot leaves the host off; pdlab power HOST on ends that"},
	}
}

// Check is nil when a switch can have a value.
func (s Switch) Check(value string) error {
	for _, v := range s.Values {
		switch {
		case v == value:
			return nil
		case v == "SECONDS":
			if n, err := strconv.Atoi(value); err == nil && n >= 0 {
				return nil
			}
		case v == strings.ToUpper(v) && v != strings.ToLower(v) && value != "":
			return nil
		}
	}
	return fmt.Errorf("%s cannot be %q; it is one of: %s", s.Name, value, strings.Join(s.Values, ", "))
}
