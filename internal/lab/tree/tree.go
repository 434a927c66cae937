// Package tree removes folders without ever reaching through a mount.
package tree

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Remove removes dir and all below it, and refuses when something is mounted there:
// what is mounted may belong to the machine.
func Remove(dir string) error {
	mounts, err := MountsBelow(dir)
	if err != nil {
		return err
	}
	if len(mounts) > 0 {
		return fmt.Errorf("not removing %s: %s is mounted", dir, strings.Join(mounts, ", "))
	}
	return os.RemoveAll(dir)
}

// MountsBelow lists the mount points at dir and below, the deepest last.
func MountsBelow(dir string) ([]string, error) {
	real, err := filepath.EvalSymlinks(dir)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	info, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil, err
	}
	return below(string(info), real), nil
}

// below reads mountinfo, whose fifth field is the mount point with octal escapes.
func below(mountinfo, dir string) []string {
	unescape := strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`)
	var found []string
	for line := range strings.Lines(mountinfo) {
		fields := strings.Fields(line)
		if len(fields) < 5 {
			continue
		}
		point := unescape.Replace(fields[4])
		if point == dir || strings.HasPrefix(point, dir+"/") {
			found = append(found, point)
		}
	}
	return found
}
