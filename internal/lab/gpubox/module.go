package gpubox

import (
	"time"

	"github.com/pdprov/pdprov/internal/lab/deb"
)

// moduleVersions are those whose packages bring a module that is really built.
func moduleVersions() []string { return []string{"580.95.05", "580.126.09"} }

// WriteModuleRepository makes NVIDIA's repository for hosts with a kernel of their own: the
// same names as in WriteRepositories, but DKMS builds a real module, and the programs say
// what the kernel says.
func WriteModuleRepository(dir, base string) (Source, error) {
	key, err := deb.NewKey(time.Now().Add(-24 * time.Hour))
	if err != nil {
		return Source{}, err
	}
	keyring, err := keyrings(base, key)
	if err != nil {
		return Source{}, err
	}
	nvidia := deb.Repository{Origin: "NVIDIA", Label: "NVIDIA CUDA", Packages: keyring[:1]}
	for _, v := range moduleVersions() {
		nvidia.Packages = append(nvidia.Packages, moduleDriver(v)...)
	}
	return writeAll(dir, base, cudaPath, []repository{{cudaPath, nvidia}}, key)
}

// moduleDriver is debianDriver without what has proprietary modules and what needs hardware.
func moduleDriver(v string) (all []deb.Package) {
	for _, p := range debianDriver(v) {
		switch p.Name {
		case "cuda-drivers", "nvidia-kernel-dkms", fabricManagerName:
			continue
		case "nvidia-kernel-open-dkms":
			p.Files, p.Scripts = moduleSource(v), moduleScripts(v)
		}
		for i, f := range p.Files {
			if text, ok := programs()[f.Path]; ok {
				p.Files[i].Text = text
			}
		}
		all = append(all, p)
	}
	return all
}

const fabricManagerName = "nvidia-fabricmanager"

// programs stand in the place of those that show GPUs, of which this host has none.
func programs() map[string]string {
	return map[string]string{
		"/usr/bin/nvidia-smi": `#!/bin/sh
if ! [ -r /sys/module/nvidia/version ]
then
  echo "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA driver is installed and running."
  exit 9
fi
echo 'No devices were found'
exit 6
`,
		"/usr/bin/nvidia-modprobe":     "#!/bin/sh\nexec /usr/sbin/modprobe nvidia\n",
		"/usr/bin/nvidia-persistenced": "#!/bin/sh\n/usr/bin/nvidia-modprobe\nexec sleep infinity\n",
	}
}

// moduleScripts build the module for every kernel that has headers; as with NVIDIA's own,
// a build that fails does not fail the installation.
func moduleScripts(v string) map[string]string {
	return map[string]string{
		"postinst": `if [ "$1" = configure ]
then
  dkms add -m nvidia -v ` + v + ` || true
  for build in /lib/modules/*/build
  do
    kernel=${build%/build}
    dkms install -m nvidia -v ` + v + ` -k "${kernel##*/}" || true
  done
fi
`,
		"prerm": "dkms remove -m nvidia -v " + v + " --all || true\n",
	}
}

func moduleSource(v string) []deb.File {
	source := "/usr/src/nvidia-" + v
	return []deb.File{
		{Path: source + "/dkms.conf", Text: "PACKAGE_NAME=\"nvidia\"\nPACKAGE_VERSION=\"" + v + "\"\nAUTOINSTALL=\"yes\"\n" +
			"BUILT_MODULE_NAME[0]=\"nvidia\"\nDEST_MODULE_LOCATION[0]=\"/updates/dkms\"\n"},
		{Path: source + "/Kbuild", Text: "obj-m := nvidia.o\nccflags-y := -DDRIVER_VERSION=\\\"" + v + "\\\"\n"},
		{Path: source + "/nvidia.c", Text: moduleText},
	}
}

// moduleText drives nothing. It says its version where NVIDIA's open modules say it, with
// their two blanks around the version and at the end.
const moduleText = `#include <linux/module.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>

static struct proc_dir_entry *dir;

static int show_version(struct seq_file *file, void *unused)
{
	seq_puts(file, "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  " DRIVER_VERSION "  Release Build  (lab@pdlab)  \n");
	return 0;
}

static int __init enter(void)
{
	dir = proc_mkdir("driver/nvidia", NULL);
	if (!dir)
		return -ENOMEM;
	if (!proc_create_single("version", 0444, dir, show_version)) {
		proc_remove(dir);
		return -ENOMEM;
	}
	return 0;
}

static void __exit leave(void)
{
	proc_remove(dir);
}

module_init(enter);
module_exit(leave);
MODULE_DESCRIPTION("stands for NVIDIA's driver on a practice host");
MODULE_LICENSE("Dual MIT/GPL");
MODULE_VERSION(DRIVER_VERSION);
`
