package gpubox

// Paths inside a box, for what it writes and what its stubs read.
const (
	Home     = "/var/lib/pdlab/box" // survives a reboot
	Run      = "/run/pdlab-box"     // does not
	Program  = "/usr/lib/pdlab/pdlab"
	Real     = "/usr/lib/pdlab/real" // commands that a stub stands before
	Switches = Home + "/switches"
	Profile  = Home + "/profile"
)

// Libraries is the folder of NVIDIA's libraries.
const Libraries = "/usr/lib/x86_64-linux-gnu"

// stub is a command of the box: sh text that starts this program inside the host.
func stub(name string) string {
	return "#!/bin/sh\nexec " + Program + " box " + name + ` "$@"` + "\n"
}
