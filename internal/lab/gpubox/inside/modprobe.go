package inside

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
)

// ours are the modules that the box keeps; all others are the real command's.
func ours(name string) bool {
	name = strings.ReplaceAll(name, "-", "_")
	return slices.Contains([]string{"nvidia", "nvidia_modeset", "nvidia_drm", "nvidia_uvm", "nvidia_peermem", "nouveau"}, name)
}

func modprobe(args []string) int {
	var names []string
	remove, quiet := false, false
	for _, a := range args {
		switch {
		case a == "-r" || a == "--remove":
			remove = true
		case a == "-q" || a == "--quiet":
			quiet = true
		case !strings.HasPrefix(a, "-") && (len(names) == 0 || remove || slices.Contains(args, "-a")):
			names = append(names, a)
		}
	}
	if !slices.ContainsFunc(names, ours) || slices.Contains(args, "-n") || slices.Contains(args, "--show-depends") {
		return real("modprobe", args)
	}
	return change(func(s *state) int {
		for _, name := range names {
			if status := s.probe(name, remove, quiet); status != 0 {
				return status
			}
		}
		return 0
	})
}

func (s *state) probe(name string, remove, quiet bool) int {
	if remove {
		return s.unload(name, quiet)
	}
	err := insert(s, machine(), name)
	switch {
	case err == nil:
		return 0
	case quiet:
		return 1
	case errors.Is(err, errNotFound):
		return fail("modprobe: FATAL: Module %s not found in directory /lib/modules/%s", name, s.Kernel)
	}
	return fail("modprobe: ERROR: could not insert '%s': %v", strings.ReplaceAll(name, "-", "_"), err)
}

// unload removes a module, and those that only it needed, as modprobe -r does.
func (s *state) unload(name string, quiet bool) int {
	i := s.index(name)
	if i < 0 {
		return 0
	}
	module := s.Modules[i].Name
	if s.references(module) > 0 {
		if quiet {
			return 1
		}
		return fail("modprobe: FATAL: Module %s is in use.", name)
	}
	s.Modules = slices.Delete(s.Modules, i, i+1)
	if need := needs(module); need != "" && need != "nvidia" && s.references(need) == 0 {
		return s.unload(need, quiet)
	}
	return 0
}

func rmmod(args []string) int {
	if !slices.ContainsFunc(args, ours) {
		return real("rmmod", args)
	}
	return change(func(s *state) int {
		for _, name := range args {
			if strings.HasPrefix(name, "-") {
				continue
			}
			i := s.index(name)
			if i < 0 {
				return fail("rmmod: ERROR: Module %s is not currently loaded", name)
			}
			module := s.Modules[i].Name
			if users := s.users(module); len(users) > 0 {
				return fail("rmmod: ERROR: Module %s is in use by: %s", module, strings.Join(users, " "))
			}
			if s.references(module) > 0 {
				return fail("rmmod: ERROR: Module %s is in use", module)
			}
			s.Modules = slices.Delete(s.Modules, i, i+1)
		}
		return 0
	})
}

// lsmod lists the box's modules before those of the machine's kernel.
func lsmod([]string) int {
	fmt.Println("Module                  Size  Used by")
	s := load()
	for line := range strings.Lines(s.list() + machineModules()) {
		f := strings.Fields(line)
		if len(f) < 4 {
			continue
		}
		users := strings.TrimSuffix(strings.Trim(f[3], "-"), ",")
		fmt.Printf("%-19s %8s  %s %s\n", f[0], f[1], f[2], users)
	}
	return 0
}

// machineModules is what the machine's own list had, before the box's was put over it.
func machineModules() string {
	text, err := os.ReadFile("/proc/modules")
	if err != nil {
		return ""
	}
	var rest strings.Builder
	for line := range strings.Lines(string(text)) {
		if name, _, _ := strings.Cut(line, " "); !ours(name) {
			rest.WriteString(line)
		}
	}
	return rest.String()
}

// nvidiaModprobe makes the device files that a first CUDA program needs.
func nvidiaModprobe([]string) int {
	return change(func(s *state) int {
		if insert(s, machine(), "nvidia") != nil || insert(s, machine(), "nvidia-uvm") != nil {
			return 1
		}
		return 0
	})
}
