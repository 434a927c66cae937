package inside

import (
	"errors"
	"path/filepath"
	"strings"

	"github.com/pdprov/pdprov/internal/lab/gpubox"
	"github.com/pdprov/pdprov/internal/lab/gpubox/kmod"
)

var errNotFound = errors.New("no module file")

// refusal is what the kernel says to a module, in the C library's words.
type refusal string

func (r refusal) Error() string { return string(r) }

// find is the file of a module for a kernel; what DKMS installed wins, as in depmod.
func find(kernel, name string) string {
	tree := "/lib/modules/" + kernel
	for _, pattern := range []string{"/updates/dkms/", "/updates/", "/kernel/*/", "/kernel/drivers/gpu/drm/*/"} {
		if found, _ := filepath.Glob(tree + pattern + strings.ReplaceAll(name, "_", "-") + ".ko"); len(found) > 0 {
			return found[0]
		}
	}
	return ""
}

// insert loads a module, in the words of modprobe where it cannot.
func insert(s *state, m gpubox.Machine, name string) error {
	if _, ok := s.module(name); ok {
		return nil
	}
	file := find(s.Kernel, name)
	if file == "" {
		return errNotFound
	}
	module, err := kmod.Read(file)
	if err != nil {
		return err
	}
	if secureBoot() && module.Signer == "" {
		return refusal("Key was rejected by service")
	}
	if _, bound := s.module("nouveau"); bound && module.Name == "nvidia" {
		return refusal("No such device")
	}
	if need := needs(module.Name); need != "" {
		if err := insert(s, m, need); err != nil {
			return err
		}
	}
	s.Modules = append(s.Modules, module)
	return nil
}

func secureBoot() bool { return set("secure-boot") == "on" }
