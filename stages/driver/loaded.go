package driver

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/pdprov/pdprov/internal/gpu"
	"github.com/pdprov/pdprov/internal/record"
	"github.com/pdprov/pdprov/stages/stage"
)

// loaded is what the kernel runs with now.
type loaded struct {
	module
	nouveau     stage.Value // "off" or "loaded"
	initramfs   stage.Value // whether the blacklist is in the images that boot
	uninstaller bool        // a driver of NVIDIA's .run file
}

func readLoaded(box gpu.Box, f stage.Facts) loaded {
	l := loaded{module: module{version: box.Driver.Loaded, flavour: box.Driver.Flavour}, nouveau: stage.Is("off"), initramfs: stage.Is(initramfsKnows)}
	if v := box.Driver.SrcVersion; v.State == stage.Present {
		l.build = v.Text
	}
	a := f.Get(rivalsID)
	if a.Outcome != stage.Answered {
		l.nouveau, l.initramfs = a.Unknown(rivalsID), a.Unknown(rivalsID)
		return l
	}
	items, err := record.Items(a.Body)
	if err != nil {
		l.nouveau = stage.Value{Reason: "whether nouveau is loaded could not be read: the answer is cut off or garbled", Probe: rivalsID}
		l.initramfs = l.nouveau
		return l
	}
	for _, r := range items {
		switch r.Name {
		case "nouveau":
			l.nouveau = stage.Is("loaded")
		case "initramfs":
			l.initramfs = stage.Is(r.Data + " is older than " + blacklistPath)
		case "uninstaller":
			l.uninstaller = true
		}
	}
	return l
}

// answering is how many GPUs nvidia-smi lists, or what it says instead; None without
// nvidia-smi. What it says itself when it ends badly is an answer: the driver does not
// work. Silence is none.
func answering(box gpu.Box, f stage.Facts) stage.Value {
	const id = "gpu:nvidia-smi"
	a := f.Get(id)
	switch {
	case a.Outcome == stage.Absent:
		return stage.Nothing()
	case a.Outcome == stage.Failed && a.Exit > 1 && a.Exit < 64:
		return stage.Is(fmt.Sprintf("nvidia-smi ends with %d: %s", a.Exit, strings.TrimRight(lastLine(strings.TrimPrefix(a.Detail, fmt.Sprintf("exit status %d: ", a.Exit))), ".")))
	case a.Outcome != stage.Answered:
		return gpu.Unknown(id, a)
	}
	n := 0
	for _, g := range box.GPUs {
		if g.Index.State == stage.Present {
			n++
		}
	}
	for _, gap := range box.Unanswered {
		if gap.Probe == id && n == 0 {
			if strings.Contains(gap.Reason, "No devices were found") {
				return stage.Is("0")
			}
			return stage.Value{Reason: gap.Reason, Probe: id}
		}
	}
	return stage.Is(strconv.Itoa(n))
}

func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return text[strings.LastIndexByte(text, '\n')+1:]
}

// deviceID is a PCI device ID as a number; 0 when it is not known. IDs grow with the
// generations: Volta ends below 0x1e00, Blackwell begins at 0x2900 (pci.ids).
func deviceID(g gpu.GPU) int64 {
	id, err := strconv.ParseInt(g.Device.Text, 0, 32)
	if err != nil {
		return 0
	}
	return id
}

// needsOpen says whether only the open modules drive the GPU: Blackwell and later.
func needsOpen(g gpu.GPU) bool { return deviceID(g) >= 0x2900 }

// needsProprietary says whether only the proprietary modules drive it: before Turing.
func needsProprietary(g gpu.GPU) bool { id := deviceID(g); return id > 0 && id < 0x1e00 }
