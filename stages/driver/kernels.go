package driver

import (
	"fmt"
	"strings"

	"github.com/pdprov/pdprov/internal/record"
	"github.com/pdprov/pdprov/stages/stage"
)

// module is a kernel module as it lies on the disk or is loaded. Version is None where
// there is none.
type module struct {
	version stage.Value
	flavour stage.Value // open or proprietary
	build   string      // srcversion, "" when not told
	signer  string
}

// kernel is one kernel that can boot, with its module on the disk.
type kernel struct {
	release string
	headers bool
	module
}

// kernels are those of a host. Without a usable answer unknown says why.
type kernels struct {
	running, next kernel
	dkms          map[string]string // kernel to what DKMS says of it; nil without DKMS
	unknown       *stage.Value
}

func unknownModule(v stage.Value) module { return module{version: v, flavour: v} }

// readKernels reads the answer whole or refuses it.
func readKernels(f stage.Facts) kernels {
	running, list, dkms, err := parseKernels(f.Get(kernelID))
	if err == nil {
		for _, k := range list {
			if k.release == running {
				return kernels{running: k, next: next(k, list), dkms: dkms}
			}
		}
		err = fmt.Errorf("the answer says nothing about the running kernel %q", running)
	}
	v := stage.Value{Reason: err.Error(), Probe: kernelID}
	k := kernel{module: unknownModule(v)}
	return kernels{running: k, next: k, unknown: &v}
}

// next is the kernel that the host will boot: the newest one.
func next(running kernel, list []kernel) kernel {
	for _, k := range list {
		if newer(k.release, running.release) {
			running = k
		}
	}
	return running
}

func parseKernels(a stage.Answer) (running string, list []kernel, dkms map[string]string, err error) {
	if a.Outcome != stage.Answered {
		return "", nil, nil, fmt.Errorf("%s", a.Unknown(kernelID).Reason)
	}
	items, err := record.Items(a.Body)
	if err != nil {
		return "", nil, nil, fmt.Errorf("about the kernels: %w", err)
	}
	for _, r := range items {
		switch {
		case r.Name == "running":
			running = r.Data
		case r.Name == "kernel":
			list = append(list, kernel{release: r.Data, module: unknownModule(stage.Value{Reason: "modinfo did not answer", Probe: kernelID})})
		case r.Name == "headers" && len(list) > 0:
			list[len(list)-1].headers = true
		case r.Name == "modinfo" && len(list) > 0:
			list[len(list)-1].module = readModinfo(r.Data)
		case r.Name == "dkms":
			dkms = readDKMS(r.Data)
		default:
			return "", nil, nil, fmt.Errorf("unknown record %.20q", r.Name)
		}
	}
	return running, list, dkms, nil
}

// readModinfo reads "RC\n" and what modinfo printed; only its own words mean that there
// is no module.
func readModinfo(text string) module {
	rc, out, _ := strings.Cut(text, "\n")
	switch {
	case rc == "1" && strings.Contains(out, "Module nvidia not found"):
		return module{version: stage.Nothing(), flavour: stage.Nothing()}
	case rc != "0":
		return unknownModule(stage.Value{Reason: fmt.Sprintf("modinfo ended with status %s: %.200s", rc, strings.TrimSpace(out)), Probe: kernelID})
	}
	fields := map[string]string{}
	for line := range strings.Lines(out) {
		name, value, ok := strings.Cut(line, ":")
		if _, twice := fields[name]; ok && !twice {
			fields[name] = strings.TrimSpace(value)
		}
	}
	if !versionForm.MatchString(fields["version"]) {
		return unknownModule(stage.Value{Reason: fmt.Sprintf("modinfo tells no version of the driver: %.200s", strings.TrimSpace(out)), Probe: kernelID})
	}
	return module{
		version: stage.Is(fields["version"]), flavour: flavourOf(fields["license"]),
		build: fields["srcversion"], signer: fields["signer"],
	}
}

// flavourOf reads the module's license: "Dual MIT/GPL" is open, "NVIDIA" proprietary.
func flavourOf(license string) stage.Value {
	switch license {
	case "Dual MIT/GPL", "GPL", "MIT":
		return stage.Is(open)
	case "NVIDIA":
		return stage.Is(proprietary)
	}
	return stage.Value{Reason: fmt.Sprintf("the module's license is %.60q, which is of neither kind", license), Probe: kernelID}
}
