// Package job runs a stage's steps on a host as one transient systemd unit, which
// survives a dropped connection and a killed controller, and says honestly how it ended.
package job

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/pdprov/pdprov/stages/stage"
)

// Root holds a folder a run, and in it one a stage.
const Root = "/var/lib/pdprov/runs"

// Spec is a job to start.
type Spec struct {
	Run     string // id of the apply: letters, digits and dashes
	Stage   string // address
	Owner   string // who applies, "alice@laptop"
	Steps   []stage.Step
	Env     map[string]string // for every step
	Timeout time.Duration     // after which systemd ends the job; at least a second
	// MemoryMax and CPUQuota are systemd's limits ("8G", "400%"); empty is none.
	MemoryMax, CPUQuota string
}

// Ref finds a job on its host.
type Ref struct {
	Run, Stage string
	Unit       string // the transient unit's name
	Dir        string // run.sh, started, log, result
}

// LogPath is where the job's output lies on its host.
func (r Ref) LogPath() string { return r.Dir + "/log" }

// RefOf is where the job of a stage in a run lies. The unit's name is the same for
// every run, so that two runs cannot do the same stage at the same time.
func RefOf(run, stage string) Ref {
	slug := Slug(stage)
	return Ref{Run: run, Stage: stage, Unit: "pdprov-" + slug + ".service", Dir: Root + "/" + run + "/" + slug}
}

// Slug makes a name for files and units of an address: readable, without anything
// that systemd or a shell expands, and different for different addresses.
func Slug(addr string) string {
	sum := sha256.Sum256([]byte(addr))
	name := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '_':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return '-'
	}, addr)
	return name[:min(len(name), 48)] + "-" + hex.EncodeToString(sum[:4])
}

// State of a job.
type State int

// States. The zero value is Running: nothing was proved about its end.
const (
	Running State = iota
	Done
	Failed
	Interrupted // by a reboot or a power cut
)

func (s State) String() string { return [...]string{"running", "done", "failed", "interrupted"}[s] }

// Status is what the host says of a job.
type Status struct {
	Ref    Ref
	Owner  string
	Since  string // the host's clock when it started, RFC 3339
	State  State
	Result Result
	Size   int64 // bytes of its log
}

// RunningError says that a job of the same stage runs already.
type RunningError struct{ Status Status }

func (e *RunningError) Error() string {
	return fmt.Sprintf("a job of %s already runs, started by %s at %s", e.Status.Ref.Stage, e.Status.Owner, e.Status.Since)
}

// GoneError says that the host keeps nothing of a job: whether and how it ended is unknown.
type GoneError struct{ Ref Ref }

func (e *GoneError) Error() string {
	return fmt.Sprintf("the host keeps no such job: %s was removed, and with it the result of %s, so whether and how it ended is unknown; let nothing remove %s, and apply again", e.Ref.Dir, e.Ref.Stage, Root)
}
