package inside

import (
	"fmt"
	"os"
	"time"

	"github.com/pdprov/pdprov/internal/lab/gpubox"
)

// smiFault is what the switch smi makes of every call; done is false for a call that
// goes its usual way.
func smiFault() (status int, done bool) {
	switch set("smi") {
	case "hang":
		time.Sleep(1 << 62)
	case "hang-unkillable":
		_, _ = os.ReadFile(gpubox.Run + "/hang") // a mount whose other side never answers
	case "exit-9":
		fmt.Print(notRunning)
		return 9, true
	case "no-devices":
		fmt.Println("No devices were found")
		return 6, true
	case "no-devices-0":
		fmt.Println("No devices were found")
		return 0, true
	}
	return 0, false
}

// odd is what the switch smi-numbers puts in place of numbers.
func odd(name string, f field, value string) string {
	texts := map[string]string{"na": "N/A", "bracket-na": "[N/A]", "empty": "", "deprecated": "Requested functionality has been deprecated"}
	text, ok := texts[set("smi-numbers")]
	numeric := f.unit != "" || name == "compute_cap" || name == "temperature.gpu" || len(name) > 5 && name[:5] == "pcie."
	if ok && numeric {
		return text
	}
	return value
}
