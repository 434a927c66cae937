package lab

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// program finds the pdlab binary, which the supervisor and the proxy run. A test
// binary cannot stand in for it, so tests without PDLAB_BIN build it into the lab's folder.
func program(ctx context.Context, o Options) (string, error) {
	if o.Program != "" {
		return filepath.Abs(o.Program)
	}
	if bin := os.Getenv("PDLAB_BIN"); bin != "" {
		return filepath.Abs(bin)
	}
	bin := filepath.Join(o.Dir, "pdlab")
	build := exec.CommandContext(ctx, "go", "build", "-o", bin, "github.com/pdprov/pdprov/cmd/pdlab")
	build.Env = append(os.Environ(), "CGO_ENABLED=0") // it also runs inside hosts, which have another C library
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building pdlab (or set PDLAB_BIN): %w: %s", err, out)
	}
	return bin, nil
}
