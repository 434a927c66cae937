package inside

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// newestKernel is the one that a boot loader would start.
func newestKernel() string {
	images, _ := filepath.Glob("/boot/vmlinuz-*")
	var kernels []string
	for _, i := range images {
		k := strings.TrimPrefix(i, "/boot/vmlinuz-")
		if _, err := os.Stat("/lib/modules/" + k); err == nil {
			kernels = append(kernels, k)
		}
	}
	if len(kernels) == 0 {
		return release()
	}
	return slices.MaxFunc(kernels, compareVersions)
}

var piece = regexp.MustCompile(`\d+|\D+`)

// compareVersions compares numbers as numbers.
func compareVersions(a, b string) int {
	as, bs := piece.FindAllString(a, -1), piece.FindAllString(b, -1)
	return slices.CompareFunc(as, bs, func(x, y string) int {
		n, err1 := strconv.Atoi(x)
		k, err2 := strconv.Atoi(y)
		if err1 == nil && err2 == nil {
			return n - k
		}
		return strings.Compare(x, y)
	})
}

// kernels that have headers, so that a module can be built for them.
func kernelsWithHeaders() []string {
	builds, _ := filepath.Glob("/lib/modules/*/build")
	var found []string
	for _, b := range builds {
		if _, err := os.Stat(b); err == nil {
			found = append(found, filepath.Base(filepath.Dir(b)))
		}
	}
	return found
}

// arch is how dkms calls this machine.
const arch = "x86_64"

func moduleFile(kernel, name string) string {
	return fmt.Sprintf("/lib/modules/%s/updates/dkms/%s.ko", kernel, name)
}
