package gpubox

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/pdprov/pdprov/internal/lab/deb"
)

// Image is what a fresh box is made of.
type Image struct {
	Root    string // of the host, with a base system in it
	Profile string
	Program string // the pdlab binary, which the stubs start
	Kernel  string // release of the machine's kernel
	Folder  string // of the lab's repositories
	Source  Source
}

// Write turns a plain root into a box.
func (i Image) Write() error {
	if err := copyFile(i.Program, i.at(Program), 0o755); err != nil {
		return err
	}
	key, err := os.ReadFile(filepath.Join(i.Folder, strings.TrimPrefix(i.Source.KeyURL, base(i.Source))))
	if err != nil {
		return err
	}
	for path, text := range i.files(string(key)) {
		mode := os.FileMode(0o644)
		if strings.HasPrefix(text, "#!") {
			mode = 0o755
		}
		if err := i.write(path, text, mode); err != nil {
			return err
		}
	}
	for _, tool := range []string{"modprobe", "rmmod", "lsmod"} {
		if err := i.divert(tool); err != nil {
			return err
		}
	}
	if i.Profile == H200 {
		if err := i.captured(); err != nil {
			return err
		}
	}
	return i.chroot("depmod", i.Kernel)
}

// base is the address of the lab's web server.
func base(s Source) string { return strings.TrimSuffix(s.Archive, "/"+archivePath) }

func (i Image) at(path string) string { return filepath.Join(i.Root, path) }

const bootUnit = `[Unit]
Description=What this GPU box has loaded
DefaultDependencies=no
Before=sysinit.target systemd-modules-load.service

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=` + Program + ` box boot
`

// files are those that every box has. The archive's packages win over real ones of
// their names: those would bring a compiler and would not fit the machine's kernel.
func (i Image) files(key string) map[string]string {
	tree := "/usr/lib/modules/" + i.Kernel
	return map[string]string{
		Profile:                           i.Profile + "\n",
		"/boot/vmlinuz-" + i.Kernel:       "practice lab\n",
		"/boot/initrd.img-" + i.Kernel:    "",
		tree + "/modules.order":           "",
		tree + "/modules.builtin":         "",
		tree + "/modules.builtin.modinfo": "",
		"/usr" + nouveau(i.Kernel).Path:   nouveau(i.Kernel).Text,
		"/usr/sbin/update-initramfs":      stub("update-initramfs"),
		"/usr/bin/lsinitramfs":            stub("lsinitramfs"),

		"/etc/systemd/system/pdlab-box.service":                     bootUnit,
		"/usr/share/keyrings/pdlab-archive.asc":                     key,
		"/etc/apt/sources.list.d/pdlab-archive.list":                "deb [signed-by=/usr/share/keyrings/pdlab-archive.asc] " + i.Source.Archive + " /\n",
		"/etc/apt/preferences.d/pdlab-archive":                      "Package: *\nPin: release l=pdlab archive\nPin-Priority: 900\n",
		"/etc/systemd/system/sysinit.target.d/pdlab-box.conf":       "[Unit]\nWants=pdlab-box.service\n",
		"/etc/systemd/system/multi-user.target.d/10-pdlab-box.conf": "[Unit]\nAfter=pdlab-box.service\n",
	}
}

func (i Image) write(path, text string, mode os.FileMode) error {
	path = i.at(path)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
		return err // a link there would lead elsewhere
	}
	return os.WriteFile(path, []byte(text), mode)
}

func copyFile(from, to string, mode os.FileMode) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return os.WriteFile(to, text, mode)
}

// divert puts a stub in the place of one of kmod's commands, and dpkg leaves it there.
func (i Image) divert(tool string) error {
	if err := os.MkdirAll(i.at(Real), 0o755); err != nil {
		return err
	}
	if err := i.chroot("dpkg-divert", "--local", "--rename", "--divert", Real+"/"+tool, "--add", "/sbin/"+tool); err != nil {
		return err
	}
	return i.write("/usr/sbin/"+tool, stub(tool), 0o755)
}

// captured is what the recorded H200 machine has: another name, a driver that no
// package brought, and a toolkit in parts.
func (i Image) captured() error {
	m := h200()
	for path, text := range map[string]string{
		"/usr/lib/os-release":                      osRelease,
		"/usr/bin/nvidia-smi":                      stub("nvidia-smi"),
		Libraries + "/libnvidia-ml.so." + m.Driver: "practice lab\n",
		Libraries + "/libcuda.so." + m.Driver:      "practice lab\n",
	} {
		mode := os.FileMode(0o644)
		if strings.HasPrefix(text, "#!") {
			mode = 0o755
		}
		if err := i.write(path, text, mode); err != nil {
			return err
		}
	}
	for _, name := range []string{"libnvidia-ml.so", "libcuda.so"} {
		if err := os.Symlink(name+"."+m.Driver, i.at(Libraries+"/"+name+".1")); err != nil {
			return err
		}
	}
	return i.installCaptured()
}

// installCaptured installs the recorded machine's packages, with the real dpkg.
func (i Image) installCaptured() error {
	const dir = "/var/cache/pdlab-captured"
	newest := map[string]deb.Package{}
	for _, p := range cudaPackages("-0ubuntu1") { // later ones of a name are newer
		newest[p.Name] = p
	}
	args := []string{"--install"}
	for _, name := range capturedToolkit() {
		p := newest[name]
		data, err := p.Bytes()
		if err != nil {
			return err
		}
		file := dir + "/" + p.FileName()
		if err := i.write(file, string(data), 0o644); err != nil {
			return err
		}
		args = append(args, file)
	}
	if err := i.chroot("dpkg", args...); err != nil {
		return err
	}
	return os.RemoveAll(i.at(dir))
}

const osRelease = `PRETTY_NAME="Ubuntu 24.04.3 LTS"
NAME="Ubuntu"
VERSION_ID="24.04"
VERSION="24.04.3 LTS (Noble Numbat)"
VERSION_CODENAME=noble
ID=ubuntu
ID_LIKE=debian
HOME_URL="https://www.ubuntu.com/"
SUPPORT_URL="https://help.ubuntu.com/"
BUG_REPORT_URL="https://bugs.launchpad.net/ubuntu/"
PRIVACY_POLICY_URL="https://www.ubuntu.com/legal/terms-and-policies/privacy-policy"
UBUNTU_CODENAME=noble
LOGO=ubuntu-logo
`

// chroot runs a command of the root in it.
func (i Image) chroot(name string, args ...string) error {
	cmd := exec.Command("chroot", append([]string{i.Root, name}, args...)...)
	cmd.Env = []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8", "DEBIAN_FRONTEND=noninteractive"}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s in the root of a new host: %w: %s", name, err, out)
	}
	return nil
}
