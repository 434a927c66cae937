package inside

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pdprov/pdprov/internal/lab/gpubox"
)

// altered is the hardware as the switches left it.
func altered(m gpubox.Machine) gpubox.Machine {
	if set("gpus") == "one-gone" {
		m.GPUs = m.GPUs[:len(m.GPUs)-1]
	}
	for i := range m.GPUs {
		g := &m.GPUs[i]
		switch set("link") {
		case "idle":
			g.Gen = 1
		case "busy":
			g.Gen = 5
		}
		if set("numa") == "none" {
			g.Node, g.CPUs = -1, m.CPUs
		}
	}
	if set("nvswitch") == "present" {
		for i := range 4 {
			m.Others = append(m.Others, gpubox.Device{
				Address: fmt.Sprintf("0000:%02x:00.0", 0xa1+i), Vendor: "0x10de", Device: "0x22a3", Class: "0x068000",
				Node: m.GPUs[0].Node, CPUs: m.GPUs[0].CPUs,
			})
		}
	}
	return m
}

// reordered is the list of nvidia-smi: without a lost GPU, and in another order where
// the switch says so.
func reordered(gpus []gpubox.GPU) []gpubox.GPU {
	gpus = slices.Clone(gpus)
	if set("gpus") == "one-lost" {
		gpus = gpus[:len(gpus)-1]
	}
	if set("smi-order") == "changed" {
		slices.Reverse(gpus)
	}
	return gpus
}

// firmware is what stands at /sys/firmware; like the rest of /run it is gone at boot.
const firmware = gpubox.Run + "/firmware"

const secureBootVariable = firmware + "/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"

// setSecureBoot writes the EFI variable: four bytes of attributes, then the value.
func setSecureBoot(value string) error {
	if value == "bios" {
		return os.RemoveAll(firmware + "/efi")
	}
	text := "\x06\x00\x00\x00\x00"
	if value == "on" {
		text = "\x06\x00\x00\x00\x01"
	}
	return write(secureBootVariable, text)
}

const processFile = gpubox.Switches + "/compute-process"

// setProcess starts or ends a process that holds the GPUs.
func setProcess(value string) error {
	const unit = "pdlab-compute.service"
	_ = exec.Command("systemctl", "stop", unit).Run() // one of before, if any
	if value == "off" {
		return remember(processFile, "")
	}
	if _, ok := load().module("nvidia"); !ok {
		return errors.New("no process can hold the GPUs while no driver is loaded")
	}
	if err := background(unit, "hold"); err != nil {
		return err
	}
	name := "/opt/venv/bin/python3"
	if value == "comma" {
		name = "/opt/venv/bin/python3 -m sglang.launch_server --model a,b"
	}
	pid := output("systemctl", "show", "--value", "--property=MainPID", unit)
	for end := time.Now().Add(5 * time.Second); holders() == 0 && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
	return write(processFile, strings.Join(pid, "")+" "+name+"\n")
}

// hold opens all GPUs and keeps them.
func hold([]string) int {
	files, _ := filepath.Glob("/dev/nvidia*")
	for _, f := range files {
		if _, err := os.Open(f); err != nil { // stays open until this process ends
			return fail("%v", err)
		}
	}
	waitSignal()
	return 0
}
