package lab

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"github.com/pdprov/pdprov/internal/lab/gpubox"
	"github.com/pdprov/pdprov/internal/lab/wire"
)

// Repository is where hosts of a GPU profile and virtual machines find NVIDIA's packages,
// made of stubs, and the key that signs them.
func (l *Lab) Repository() (gpubox.Source, error) {
	source, err := gpubox.ReadSource(l.dir)
	if errors.Is(err, os.ErrNotExist) {
		return source, fmt.Errorf("a lab of profile %s has no repository; a GPU profile or a virtual machine has one, such as: pdlab up --profile %s, pdlab up --vm", l.state.Profile, gpubox.RTX)
	}
	return source, err
}

// repository makes the repositories of the lab's hosts in its folder and returns the
// release of the machine's kernel, for which they have packages.
func repository(o Options) (string, error) {
	var u unix.Utsname
	if err := unix.Uname(&u); err != nil {
		return "", err
	}
	kernel := unix.ByteSliceToString(u.Release[:])
	if o.VM {
		_, err := gpubox.WriteModuleRepository(o.Dir, wire.ProxyURL)
		return kernel, err
	}
	if _, ok := gpubox.Find(o.Profile); !ok {
		return kernel, nil
	}
	_, err := gpubox.WriteRepositories(o.Dir, wire.ProxyURL, o.Profile, kernel)
	return kernel, err
}
