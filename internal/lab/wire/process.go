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
	s, err := stat(pid)
	return Process{Pid: pid, Start: s.start}, err
}

// Alive is false once the process and, where it is the first of a pid namespace,
// all others of that namespace have ended.
func (p Process) Alive() bool {
	s, err := stat(p.Pid)
	return err == nil && s.start == p.Start && !s.ended
}

type status struct {
	start uint64
	ended bool
}

// stat reads a process's state; the command name before it may hold anything. A
// zombie has ended only when its last thread has: the first thread may go before it.
func stat(pid int) (status, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return status{}, err
	}
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	if len(fields) < 20 {
		return status{}, fmt.Errorf("/proc/%d/stat: %q", pid, text)
	}
	start, err := strconv.ParseUint(string(fields[19]), 10, 64)
	ended := string(fields[0]) == "Z" && len(fields[17]) == 1 && fields[17][0] <= '1'
	return status{start, ended}, err
}
