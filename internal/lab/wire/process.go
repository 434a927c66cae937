package wire

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
)

// Process names one process for good: pids are used again, a pid with its start time is not.
type Process struct {
	Pid   int
	Start uint64 // clock ticks since the machine's boot
}

// FindProcess returns the process that has this pid now.
func FindProcess(pid int) (Process, error) {
	start, _, err := stat(pid)
	return Process{Pid: pid, Start: start}, err
}

// Alive is false once the process and, where it is the first of a pid namespace,
// all others of that namespace have ended.
func (p Process) Alive() bool {
	start, state, err := stat(p.Pid)
	return err == nil && p.Pid > 0 && start == p.Start && state != 'Z'
}

// stat reads start time and state; the command name before them may hold anything.
func stat(pid int) (start uint64, state byte, err error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, 0, err
	}
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	if len(fields) < 20 {
		return 0, 0, fmt.Errorf("/proc/%d/stat: %q", pid, text)
	}
	start, err = strconv.ParseUint(string(fields[19]), 10, 64)
	return start, fields[0][0], err
}
