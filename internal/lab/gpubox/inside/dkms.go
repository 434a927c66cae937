package inside

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pdprov/pdprov/internal/lab/gpubox/kmod"
)

const dkmsTree = "/var/lib/dkms"

// dkmsCall is a command line of dkms.
type dkmsCall struct {
	action, module, version string
	kernels                 []string // nil is all that have headers
	all                     bool
}

func parseDKMS(args []string) dkmsCall {
	var c dkmsCall
	for i := 0; i < len(args); i++ {
		value := ""
		if i+1 < len(args) {
			value = args[i+1]
		}
		switch a := args[i]; {
		case a == "-m":
			c.module, i = value, i+1
		case a == "-v":
			c.version, i = value, i+1
		case a == "-k" || a == "--kernelver":
			c.kernels, i = append(c.kernels, value), i+1
		case a == "--all":
			c.all = true
		case strings.HasPrefix(a, "-"):
		case c.action == "":
			c.action = a
		default:
			c.module = a
		}
	}
	if name, version, ok := strings.Cut(c.module, "/"); ok {
		c.module, c.version = name, version
	}
	return c
}

// dkms answers in the words of dkms 3, or of dkms 2 where the switch says so.
func dkms(args []string) int {
	c := parseDKMS(args)
	if c.kernels == nil {
		c.kernels = kernelsWithHeaders()
	}
	switch c.action {
	case "status":
		return c.status()
	case "add":
		return c.add()
	case "build", "install":
		return c.each(c.build)
	case "autoinstall":
		return c.autoinstall()
	case "remove", "uninstall":
		return c.remove()
	}
	return fail("Error! Unknown action specified: %q", c.action)
}

// versions that were added, of the module that was asked for or of all.
func (c dkmsCall) versions() []string {
	found, _ := filepath.Glob(dkmsTree + "/nvidia/*/source")
	var versions []string
	for _, f := range found {
		v := filepath.Base(filepath.Dir(f))
		if (c.module == "" || c.module == "nvidia") && (c.version == "" || c.version == v) {
			versions = append(versions, v)
		}
	}
	slices.SortFunc(versions, func(a, b string) int { return compareVersions(b, a) })
	return versions
}

func (c dkmsCall) status() int {
	separator := "/"
	if set("dkms-form") == "2" {
		separator = ", "
	}
	for _, v := range c.versions() {
		built, _ := filepath.Glob(dkmsTree + "/nvidia/" + v + "/*/" + arch)
		if len(built) == 0 {
			fmt.Printf("nvidia%s%s: added\n", separator, v)
		}
		for _, b := range built {
			kernel := filepath.Base(filepath.Dir(b))
			fmt.Printf("nvidia%s%s, %s, %s: %s\n", separator, v, kernel, arch, installed(v, kernel))
		}
	}
	return 0
}

// installed is the state of a built module: what is in the kernel's folder may be gone
// or be another one.
func installed(version, kernel string) string {
	original, _ := os.ReadFile(dkmsTree + "/nvidia/" + version + "/" + kernel + "/" + arch + "/module/nvidia.ko")
	file, err := os.ReadFile(moduleFile(kernel, "nvidia"))
	switch {
	case err != nil:
		return "installed (Built modules are missing in the kernel modules folder)"
	case string(file) != string(original):
		return "installed (Differences between built and installed modules)"
	}
	return "installed"
}

func (c dkmsCall) add() int {
	source := "/usr/src/" + c.module + "-" + c.version
	if _, err := os.Stat(source + "/dkms.conf"); err != nil {
		return exit(2, "Error! Could not find module source directory.\nDirectory: %s does not exist.", source)
	}
	dir := filepath.Join(dkmsTree, c.module, c.version)
	if err := os.MkdirAll(dir+"/build", 0o755); err != nil {
		return fail("%v", err)
	}
	fmt.Printf("Creating symlink %s/source -> %s\n", dir, source)
	_ = os.Remove(dir + "/source")
	if err := os.Symlink(source, dir+"/source"); err != nil {
		return fail("%v", err)
	}
	return 0
}

func exit(status int, format string, args ...any) int {
	fmt.Fprintf(os.Stderr, format+"\n", args...)
	return status
}

func (c dkmsCall) each(do func(kernel string) int) int {
	for _, k := range c.kernels {
		if status := do(k); status != 0 {
			return status
		}
	}
	return 0
}

func (c dkmsCall) autoinstall() int {
	if len(c.kernels) == 0 {
		fmt.Printf("Module build for kernel %s was skipped since the\nkernel headers for this kernel do not seem to be installed.\n", release())
		return 0
	}
	versions := c.versions()
	if len(versions) == 0 {
		return 0
	}
	c.module, c.version = "nvidia", versions[0] // the newest
	if c.each(c.build) != 0 {
		return 11
	}
	return 0
}

// build builds and installs a version for one kernel.
func (c dkmsCall) build(kernel string) int {
	if _, err := os.Stat("/lib/modules/" + kernel + "/build"); err != nil {
		return exit(21, "Error! Your kernel headers for kernel %s cannot be found at /lib/modules/%s/build or /lib/modules/%s/source.\n"+
			"Please install the linux-headers-%s package or use the --kernelsourcedir option to tell DKMS where it's located.", kernel, kernel, kernel, kernel)
	}
	dir := filepath.Join(dkmsTree, "nvidia", c.version)
	if set("dkms-build") == "fails" {
		log := "DKMS make.log for nvidia-" + c.version + " for kernel " + kernel + " (" + arch + ")\n" +
			"nvidia/nv-mmap.c: error: implicit declaration of function 'vm_flags_set'\nmake[1]: *** [Makefile:2026: all] Error 2\n"
		if err := write(dir+"/build/make.log", log); err != nil {
			return fail("%v", err)
		}
		return exit(10, "Error! Bad return status for module build on kernel: %s (%s)\nConsult %s/build/make.log for more information.", kernel, arch, dir)
	}
	license, _ := os.ReadFile("/usr/src/nvidia-" + c.version + "/LICENSE")
	fmt.Printf("Building module:\nCleaning build area...\nmake -j2 KERNEL_UNAME=%s modules...\n", kernel)
	for _, name := range kmod.Names() {
		m := kmod.New(name, c.version, strings.TrimSpace(string(license)), kernel)
		for _, path := range []string{dir + "/" + kernel + "/" + arch + "/module/" + name + ".ko", moduleFile(kernel, name)} {
			if err := write(path, string(m.Bytes())); err != nil {
				return fail("%v", err)
			}
		}
		fmt.Printf("\n%s.ko:\nRunning module version sanity check.\n - Installation\n   - Installing to /lib/modules/%s/updates/dkms/\n", name, kernel)
	}
	if err := write(dir+"/build/make.log", "DKMS make.log for nvidia-"+c.version+"\n"); err != nil {
		return fail("%v", err)
	}
	run("depmod", kernel)
	return 0
}

// remove takes a version away, and its modules where they are the installed ones.
func (c dkmsCall) remove() int {
	dir := filepath.Join(dkmsTree, c.module, c.version)
	if _, err := os.Stat(dir); c.version == "" || err != nil {
		return exit(3, "Error! The module/version combo: %s-%s is not located in the DKMS tree.", c.module, c.version)
	}
	built, _ := filepath.Glob(dir + "/*/" + arch)
	for _, b := range built {
		kernel := filepath.Base(filepath.Dir(b))
		if m, err := kmod.Read(moduleFile(kernel, "nvidia")); err == nil && m.Version == c.version {
			if err := os.RemoveAll(filepath.Dir(moduleFile(kernel, "nvidia"))); err != nil {
				return fail("%v", err)
			}
			run("depmod", kernel)
		}
	}
	if err := os.RemoveAll(dir); err != nil {
		return fail("%v", err)
	}
	return 0
}
