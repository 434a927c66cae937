package inside

import (
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
)

// persistenced holds the GPUs open, as the real daemon does.
func persistenced([]string) int {
	if _, ok := load().module("nvidia"); !ok {
		return fail("nvidia-persistenced failed to initialize. Check syslog for more details.")
	}
	files, _ := filepath.Glob("/dev/nvidia[0-9c]*")
	for _, f := range files {
		if _, err := os.Open(f); err != nil { // stays open until this process ends
			return fail("%v", err)
		}
	}
	shown := func(*state) int { return 0 } // the count of uses is shown anew
	change(shown)
	waitSignal()
	return 0
}

func waitSignal() {
	ch := make(chan os.Signal, 1)
	signal.Notify(ch, syscall.SIGTERM, syscall.SIGINT)
	<-ch
}

// fabricManager gets its own version as the first argument. It runs only beside a driver
// of that version and on a machine with NVSwitches.
func fabricManager(args []string) int {
	driver, ok := load().module("nvidia")
	if !ok {
		return fail("nv-fabricmanager: request to query NVSwitch device information from NVSwitch driver failed with error:WARNING Nothing to do [NV_WARN_NOTHING_TO_DO]")
	}
	if len(args) == 0 || driver.Version != args[0] {
		return fail("nv-fabricmanager: fabric manager NVIDIA GPU driver interface version %s don't match with driver version %s. Please update with matching NVIDIA driver package.", strings.Join(args[:min(1, len(args))], ""), driver.Version)
	}
	for _, d := range machine().Others {
		if d.Class == "0x068000" && d.Vendor == "0x10de" {
			fmt.Println("Successfully configured all the available NVSwitches to route GPU NVLink traffic.")
			waitSignal()
			return 0
		}
	}
	return fail("nv-fabricmanager: request to query NVSwitch device information from NVSwitch driver failed with error:WARNING Nothing to do [NV_WARN_NOTHING_TO_DO]")
}
