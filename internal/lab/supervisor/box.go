package supervisor

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/pdprov/pdprov/internal/lab/gpubox"
)

// seedBox turns the host into a GPU box where the profile is one.
func (h *host) seedBox() error {
	if _, ok := gpubox.Find(h.lab.Profile); !ok {
		return nil
	}
	source, err := gpubox.ReadSource(".")
	if err != nil {
		return err
	}
	return gpubox.Image{
		Root: h.root(), Profile: h.lab.Profile, Program: h.lab.Program, Kernel: h.lab.Kernel,
		Folder: gpubox.Folder, Source: source,
	}.Write()
}

// staysOff is true when a switch says that the host does not come back; it counts once.
func (h *host) staysOff() bool {
	path := filepath.Join(h.root(), gpubox.Switches, "reboot")
	text, err := os.ReadFile(path)
	if err != nil || strings.TrimSpace(string(text)) != "never-returns" {
		return false
	}
	return os.Remove(path) == nil
}
