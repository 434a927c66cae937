package inside

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pdprov/pdprov/internal/lab/deb"
)

func setLock(value string) error {
	if value == "0" {
		_ = exec.Command("systemctl", "stop", "pdlab-apt-lock.service").Run() // there may be none
		return nil
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
