// Package wire is what a lab's users and its supervisor say to each other, and the
// names of the files they share.
package wire

import (
	"fmt"
	"time"
)

// Names inside a lab's folder.
const (
	LockFile    = "lock" // held with flock by the supervisor as long as it lives
	StateFile   = "lab.json"
	ControlFile = "control" // unix socket of the supervisor
	LogFile     = "supervisor.log"
	KnownHosts  = "known_hosts"
	SSHConfig   = "ssh_config"
	Identity    = "id"
	HostsDir    = "hosts"
)

// Addresses of the lab's private network; labs do not see each other's.
const (
	Gateway   = "10.77.0.1"
	Network   = "10.77.0.0/24"
	ProxyPort = 3128
	ProxyURL  = "http://10.77.0.1:3128" // also the address of the lab's own web server
	MaxHosts  = 200
)

// HostName of the i-th host, counted from 1.
func HostName(i int) string { return fmt.Sprintf("h%d", i) }

// HostAddress of the i-th host, counted from 1.
func HostAddress(i int) string { return fmt.Sprintf("10.77.0.%d", 10+i) }

// State is a lab as its folder describes it.
type State struct {
	Supervisor Process
	Cgroup     string // name of the lab's directory in every hierarchy
	Base       string // the shared root
	Profile    string
	Kernel     string // release of the machine's kernel
	Hosts      int
	VM         bool // the host is an emulated machine with a kernel of its own

	Environment []string // KEY=value, for every process of every host
}

// Config is the first line that a supervisor reads from its stdin.
type Config struct {
	State
	Dir     string
	Program string // the pdlab binary, for the proxy
	Bundle  string // file with this machine's certificate authorities, or ""
}

// Stay is the line that tells a supervisor to outlive its starter.
const Stay = "stay"

// Report is the one line of a supervisor's stdout: Error is empty when the lab is up.
type Report struct {
	Error string `json:",omitempty"`
}

// Op is what a supervisor can be asked for.
type Op string

// The operations.
const (
	OpList    Op = "list"
	OpCut     Op = "cut"
	OpMend    Op = "mend"
	OpDelay   Op = "delay"
	OpOff     Op = "off"
	OpOn      Op = "on"
	OpReimage Op = "reimage"
	OpHang    Op = "hang" // mount a file that never answers
	OpDown    Op = "down"
)

// Request is one line on the control socket.
type Request struct {
	Op    Op
	Host  string        `json:",omitempty"`
	Delay time.Duration `json:",omitempty"` // added to a round trip
	Loss  float64       `json:",omitempty"` // percent of packets, each way
}

// Response answers a Request.
type Response struct {
	Error string       `json:",omitempty"`
	Hosts []HostStatus `json:",omitempty"`
}

// HostStatus is one host as its supervisor sees it.
type HostStatus struct {
	Name    string
	Address string
	Running bool
	Boots   int // starts since the lab went up, reboots included
	Leader  int // pid of the host's init, or of its qemu, in the supervisor's pid namespace; 0 when off
	Cut     bool
	Delay   time.Duration
	Loss    float64
	HostKey string // public half, "ssh-ed25519 AAAA..."
}

// KnownHostsLine is the host's line in a known_hosts file.
func KnownHostsLine(h HostStatus) string {
	return h.Name + "," + h.Address + " " + h.HostKey + "\n"
}
