package supervisor

import (
	"bytes"
	"errors"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/pdprov/pdprov/internal/lab/cgroup"
)

// rebootStatus is nspawn's exit status after `reboot` inside.
const rebootStatus = 133

// enter puts the shell into the control groups that come before "--", then becomes
// the command after it.
const enter = `while [ "$1" != -- ]; do echo 0 > "$1" || exit 120; shift; done; shift; exec "$@"`

// machine is a host that is switched on: one nspawn or qemu after another, as it reboots.
type machine struct {
	now *session // guarded by host.mu
	off chan struct{}
}

// session is what is between two boots of a host.
type session struct {
	pid      int  // of nspawn or qemu
	emulated bool // its first process is not one of this machine
	wait     func() (again bool, why error)
}

// powerOn boots the host; it returns before the host is up.
func (h *host) powerOn() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.machine != nil {
		return fmt.Errorf("%s is already on", h.Name)
	}
	now, err := h.boot()
	if err != nil {
		return err
	}
	h.machine = &machine{now: now, off: make(chan struct{})}
	go h.run(h.machine, now)
	return nil
}

// run waits for the end of each session and begins another after a reboot.
func (h *host) run(m *machine, now *session) {
	defer close(m.off)
	for {
		again, err := now.wait()
		h.mu.Lock()
		if !again {
			log.Printf("%s is off (%v)", h.Name, err)
			break
		}
		if h.staysOff() {
			log.Printf("%s stays off after its reboot, as its switch says", h.Name)
			break
		}
		if now, err = h.boot(); err != nil {
			log.Printf("%s did not start again: %v", h.Name, err)
			break
		}
		m.now = now
		h.mu.Unlock()
	}
	h.machine = nil
	h.mu.Unlock()
}

func (h *host) boot() (*session, error) {
	if h.lab.VM {
		return h.bootEmulator()
	}
	return h.bootContainer()
}

// bootContainer starts one nspawn. The link of an earlier one may linger for a moment.
func (h *host) bootContainer() (*session, error) {
	groups, err := cgroup.Make(h.lab.Cgroup, h.Name)
	if err != nil {
		return nil, err
	}
	_ = ip("link", "delete", "vb-"+h.Name)
	console, err := os.OpenFile(filepath.Join(h.dir(), "console.log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	defer console.Close()
	args := append([]string{"-c", enter, "sh"}, groups...)
	args = append(args, "--", "systemd-nspawn", "--quiet", "--directory="+h.root(), "--machine="+h.Name,
		"--register=no", "--keep-unit", "--network-bridge="+h.cable.bridge(), "--resolv-conf=off",
		"--timezone=off", "--link-journal=no", "--console=pipe", "--boot")
	cmd := exec.Command("/bin/sh", args...)
	cmd.Env = []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "SYSTEMD_NSPAWN_UNIFIED_HIERARCHY=1"}
	cmd.Stdout, cmd.Stderr = console, console
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	h.boots++
	return &session{pid: cmd.Process.Pid, wait: func() (bool, error) {
		err := cmd.Wait()
		return cmd.ProcessState.ExitCode() == rebootStatus, fmt.Errorf("nspawn: %v", err)
	}}, nil
}

// powerOff pulls the plug: the host's init is killed, which ends all its processes.
// A host that is off stays off.
func (h *host) powerOff() error {
	h.mu.Lock()
	m := h.machine
	h.mu.Unlock()
	if m == nil {
		return nil
	}
	deadline := time.After(10 * time.Second)
	for {
		h.kill(m)
		select {
		case <-m.off:
			return nil
		case <-deadline:
			return errors.New("the host did not end within 10 s of a kill")
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// kill does nothing to an nspawn that has no child yet: it is tried again.
func (h *host) kill(m *machine) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if leader := m.leader(); h.machine == m && leader > 0 {
		syscall.Kill(leader, syscall.SIGKILL)
	}
}

// leader is the pid of the host's init, nspawn's only child, or of qemu; 0 when there is none.
func (m *machine) leader() int {
	if m.now.emulated {
		return m.now.pid
	}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		text, _ := os.ReadFile(path)
		fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
		if len(fields) > 1 && string(fields[1]) == strconv.Itoa(m.now.pid) {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			return pid
		}
	}
	return 0
}
