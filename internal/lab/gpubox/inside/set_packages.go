package inside

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pdprov/pdprov/internal/lab/deb"
)

// libraries are the packages that an unattended upgrade of the driver's user space changes.
func libraries() []string {
	return installedOf([]string{"libnvidia-ml1", "libcuda1"})
}

func installedOf(names []string) []string {
	var found []string
	for _, n := range names {
		if slices.Equal(output("dpkg-query", "--show", "--showformat=${db:Status-Status}", n), []string{"installed"}) {
			found = append(found, n)
		}
	}
	return found
}

func installedVersion(name string) string {
	return strings.Join(output("dpkg-query", "--show", "--showformat=${Version}", name), "")
}

// setLibrary upgrades the libraries alone, to the newest version that apt would take,
// and dates what the logs say of it to the time at which timers do such things.
func setLibrary(value string) error {
	names := libraries()
	if len(names) == 0 {
		return errors.New("the driver's libraries are in no package here; install a driver first")
	}
	if value == "same" {
		return backToModule(names)
	}
	var upgrades, words []string
	for _, n := range names {
		before, candidate := installedVersion(n), candidateOf(n)
		if before == candidate {
			return fmt.Errorf("%s %s is the newest that apt would take; install an older driver first", n, before)
		}
		upgrades = append(upgrades, fmt.Sprintf("%s:amd64 (%s, %s)", n, before, candidate))
		words = append(words, n+"="+candidate)
	}
	mark, err := sizeOf(dpkgLog)
	if err != nil {
		return err
	}
	if err := installAlone(words); err != nil {
		return err
	}
	history, err := sizeOf(aptHistory)
	if err != nil {
		return err
	}
	if err := redate(dpkgLog, mark); err != nil {
		return err
	}
	record := "\nStart-Date: 2026-11-30  06:12:41\nCommandline: /usr/bin/unattended-upgrade\nUpgrade: " +
		strings.Join(upgrades, ", ") + "\nEnd-Date: 2026-11-30  06:12:47\n"
	return replaceEnd(aptHistory, history, record)
}

const (
	dpkgLog    = "/var/log/dpkg.log"
	aptHistory = "/var/log/apt/history.log"
)

func candidateOf(name string) string {
	words := output("apt-cache", "policy", name)
	if i := slices.Index(words, "Candidate:"); i >= 0 && i+1 < len(words) {
		return words[i+1]
	}
	return ""
}

// backToModule installs the libraries of the module that is loaded.
func backToModule(names []string) error {
	driver, ok := load().module("nvidia")
	if !ok {
		return errors.New("no driver is loaded whose version the libraries could have")
	}
	var words []string
	for _, n := range names {
		words = append(words, n+"="+driver.Version+"-1")
	}
	return installAlone(words)
}

// installAlone leaves all other packages as they are: apt-get install would upgrade all
// that come from the same source package.
func installAlone(words []string) error {
	dir, err := os.MkdirTemp("", "pdlab-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	return must("/bin/sh", append([]string{"-c", `cd "$1" && shift && apt-get download "$@" && dpkg --install ./*.deb`, "sh", dir}, words...)...)
}

func sizeOf(path string) (int64, error) {
	info, err := os.Stat(path)
	if os.IsNotExist(err) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// replaceEnd puts a text in the place of all that came after an offset.
func replaceEnd(path string, from int64, text string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Truncate(from); err != nil {
		return err
	}
	_, err = f.WriteAt([]byte(text), from)
	return err
}

// redate gives the lines that dpkg wrote after an offset another date; their order stays.
func redate(path string, from int64) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var b strings.Builder
	second := 41
	for line := range strings.Lines(string(text[from:])) {
		if f := strings.SplitN(line, " ", 3); len(f) == 3 {
			line = fmt.Sprintf("2026-11-30 06:12:%02d %s", min(second, 47), f[2])
			second++
		}
		b.WriteString(line)
	}
	return replaceEnd(path, from, b.String())
}

func setKernel(value string) error {
	next := nextKernel()
	image, headers := "linux-image-"+next, "linux-headers-"+next
	if value == "none" {
		if err := must("apt-get", "purge", "-y", image, headers); err != nil {
			return err
		}
		return errors.Join(os.RemoveAll("/lib/modules/"+next), remember("/boot/initrd.img-"+next, ""))
	}
	words := []string{"install", "-y", image}
	if value == "with-headers" {
		words = append(words, headers)
	}
	if err := must("apt-get", "update"); err != nil {
		return err
	}
	return must("apt-get", words...)
}

func setFabricManager(value string) error {
	const name = "nvidia-fabricmanager"
	if value == "none" {
		return must("apt-get", "purge", "-y", name)
	}
	driver, _ := load().module("nvidia")
	fields := output("apt-cache", "madison", name)
	for i, f := range fields {
		if f == name && i+2 < len(fields) && !strings.HasPrefix(fields[i+2], driver.Version+"-") {
			return must("apt-get", "install", "-y", "--allow-downgrades", name+"="+fields[i+2])
		}
	}
	return errors.New("no repository has a fabric manager of another version; configure NVIDIA's and run apt-get update")
}

// driverSet are the installed packages of a driver.
func driverSet() []string {
	return output("dpkg-query", "--show", "--showformat=${Package}\n", "nvidia-*", "libnvidia-*", "libcuda1", "cuda-drivers*")
}

func setHold(value string) error {
	all := installedOf(driverSet())
	if len(all) == 0 {
		return errors.New("no package of a driver is installed")
	}
	if err := must("apt-mark", append([]string{"unhold"}, all...)...); err != nil || value == "none" {
		return err
	}
	if value == "gap" {
		all = slices.DeleteFunc(all, func(n string) bool { return strings.HasPrefix(n, "lib") })
	}
	return must("apt-mark", append([]string{"hold"}, all...)...)
}

// setSource writes the second source with the archive's key: the same in substance, but
// apt compares the option's text.
func setSource(value string) error {
	const file = "/etc/apt/sources.list.d/nvidia-by-hand.list"
	if value == "none" {
		return remember(file, "")
	}
	archive, err := os.ReadFile("/etc/apt/sources.list.d/pdlab-archive.list")
	if err != nil {
		return err
	}
	return remember(file, strings.Replace(string(archive), "/archive ", "/compute/cuda/repos/debian12/x86_64 ", 1))
}

func setLock(value string) error {
	if value == "0" {
		return must("systemctl", "stop", "pdlab-apt-lock.service")
	}
	if err := background("pdlab-apt-lock.service", "lock", value); err != nil {
		return err
	}
	for end := time.Now().Add(5 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if locked() {
			return nil
		}
	}
	return errors.New("another process has apt's locks")
}

func lockFiles() []string {
	return []string{"/var/lib/dpkg/lock-frontend", "/var/lib/dpkg/lock", "/var/lib/apt/lists/lock", "/var/cache/apt/archives/lock"}
}

// locked asks as apt does, with fcntl: flock would not see it.
func locked() bool {
	f, err := os.OpenFile(lockFiles()[0], os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	l := unix.Flock_t{Type: unix.F_WRLCK, Whence: io.SeekStart}
	return unix.FcntlFlock(f.Fd(), unix.F_GETLK, &l) == nil && l.Type != unix.F_UNLCK
}

// lock holds all of apt's and dpkg's locks for some seconds.
func lock(args []string) int {
	seconds, err := strconv.Atoi(strings.Join(args, ""))
	if err != nil {
		return fail("%v", err)
	}
	for _, path := range lockFiles() {
		f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o640)
		if err != nil {
			return fail("%v", err)
		}
		defer f.Close()
		if err := unix.FcntlFlock(f.Fd(), unix.F_SETLKW, &unix.Flock_t{Type: unix.F_WRLCK, Whence: io.SeekStart}); err != nil {
			return fail("%s: %v", path, err)
		}
	}
	time.Sleep(time.Duration(seconds) * time.Second)
	return 0
}

const interruptedPackage = "pdlab-interrupted"

// setInterrupted installs a package that kills its dpkg once, in the middle.
func setInterrupted(value string) error {
	if value == "whole" {
		return errors.Join(must("dpkg", "--configure", "-a"), must("dpkg", "--purge", interruptedPackage))
	}
	const once = "/run/pdlab-box/interrupt"
	p := deb.Package{
		Name: interruptedPackage, Version: "1-1", Architecture: "all",
		Scripts: map[string]string{"postinst": "if [ -e " + once + " ]\nthen\n  rm " + once + "\n  kill -KILL \"$PPID\"\nfi\n"},
	}
	data, err := p.Bytes()
	if err != nil {
		return err
	}
	file := "/run/pdlab-box/" + p.FileName()
	if err := errors.Join(write(file, string(data)), write(once, "")); err != nil {
		return err
	}
	if err := must("dpkg", "--install", file); err == nil {
		return errors.New("dpkg ended well, though its package kills it")
	}
	return os.Remove(file)
}

const asks = `#!/bin/sh
# Stands for needrestart's hook: asks unless it is told not to.
case "${NEEDRESTART_MODE:-i}:${DEBIAN_FRONTEND:-}" in
a:*|l:*|*:noninteractive) exit 0 ;;
esac
printf 'Daemons using outdated libraries\n--------------------------------\n\n  1. dbus.service  2. ssh.service\n\nWhich services should be restarted? '
if [ -t 0 ]
then
  read -r answer
else
  exec sleep infinity
fi
`

func setNeedrestart(value string) error {
	const hook, config = "/usr/lib/needrestart/apt-pinvoke", "/etc/apt/apt.conf.d/99needrestart"
	if value == "none" {
		return errors.Join(remember(config, ""), remember(hook, ""))
	}
	return errors.Join(write(hook, asks), os.Chmod(hook, 0o755),
		write(config, "DPkg::Post-Invoke {\"test -x "+hook+" && "+hook+" || true\"; };\n"))
}
