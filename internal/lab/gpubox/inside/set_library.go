package inside

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
)

// libraries are the packages that an unattended upgrade of the driver's user space changes.
func libraries() []string {
	return installedOf([]string{"libnvidia-ml1", "libcuda1"})
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
// that come from the same source package. apt tells its cache from dpkg's status by size
// and second, and both may be the same here, so the cache goes.
func installAlone(words []string) error {
	dir, err := os.MkdirTemp("", "pdlab-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	return must("/bin/sh", append([]string{"-c", `cd "$1" && shift && apt-get download "$@" && dpkg --install ./*.deb && rm -f /var/cache/apt/*.bin`, "sh", dir}, words...)...)
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
