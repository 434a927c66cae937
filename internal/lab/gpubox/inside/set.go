package inside

import (
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/pdprov/pdprov/internal/lab/gpubox"
)

// setters do what is more than remembering a switch's value. Each gets the value.
func setters() map[string]func(string) error {
	return map[string]func(string) error{
		"smi":             func(v string) error { return hide("/usr/bin/nvidia-smi", v == "missing") },
		"modinfo":         func(v string) error { return hide("/usr/sbin/modinfo", v == "missing") },
		"compute-process": setProcess,
		"secure-boot":     setSecureBoot,
		"library":         setLibrary,
		"pending-kernel":  setKernel,
		"fabric-manager":  setFabricManager,
		"hold":            setHold,
		"second-source":   setSource,
		"apt-lock":        setLock,
		"dpkg":            setInterrupted,
		"needrestart":     setNeedrestart,
		"ssh-delay":       setSSHDelay,
		"shutdown-delay":  setShutdownDelay,
		"reboot":          setReboot,
	}
}

// setSwitch is the command that pdlab set runs in the host: it remembers the value, does
// what it means and shows it. The caller has checked name and value.
func setSwitch(args []string) int {
	if len(args) != 2 {
		return fail("usage: set SWITCH VALUE")
	}
	name, value := args[0], args[1]
	if do := setters()[name]; do != nil {
		if err := do(value); err != nil {
			return fail("%v", err)
		}
	}
	if name != "compute-process" { // which remembers its process
		if err := write(gpubox.Switches+"/"+name, value+"\n"); err != nil {
			return fail("%v", err)
		}
	}
	return change(func(*state) int { return 0 })
}

// hide takes a file away, or puts it back.
func hide(path string, away bool) error {
	const dir = "/usr/lib/pdlab/hidden"
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	from, to := path, dir+"/"+path[strings.LastIndex(path, "/")+1:]
	if !away {
		from, to = to, from
	}
	if _, err := os.Lstat(from); err != nil {
		return nil // it is there already, or was never installed
	}
	return os.Rename(from, to)
}

// must runs a command and gives its output as the reason of a failure.
func must(name string, args ...string) error {
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive", "NEEDRESTART_MODE=l", "LC_ALL=C.UTF-8")
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, out)
	}
	return nil
}

// output is a command's stdout in words; a failure gives what was printed before it.
func output(name string, args ...string) []string {
	out, _ := exec.Command(name, args...).Output()
	return strings.Fields(string(out))
}

// remember makes a file, or removes it where text is empty.
func remember(path, text string) error {
	if text != "" {
		return write(path, text)
	}
	if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
		return err
	}
	return nil
}

// background starts this program's own command as a unit that outlives the caller.
func background(unit string, args ...string) error {
	_ = exec.Command("systemctl", "stop", unit).Run() // one of before, if any
	words := append([]string{"--quiet", "--collect", "--unit=" + unit, gpubox.Program, "box"}, args...)
	return must("systemd-run", words...)
}
