package stage

import "strings"

// Resource names something on a host that a probe reads or a step writes:
// "path:/etc/web.conf", "package:jq", "unit:web.service", "sysctl:vm.swappiness",
// or AnyResource.
type Resource string

// AnyResource overlaps every resource: what a user's own command touches.
const AnyResource Resource = "*"

// Overlaps says whether one resource is the other or lies below it
// ("path:/etc" and "path:/etc/web.conf").
func (r Resource) Overlaps(o Resource) bool {
	if r == AnyResource || o == AnyResource || r == o {
		return true
	}
	return below(string(r), string(o)) || below(string(o), string(r))
}

func below(child, parent string) bool {
	return strings.HasPrefix(child, "path:") && strings.HasPrefix(child, strings.TrimSuffix(parent, "/")+"/")
}

// AbsentExit is the exit status with which a probe script says that what it
// looked for is certainly not there. Every other status than 0 means that it
// could not look.
const AbsentExit = 66

// Probe is one question to a host: sh text that looks and changes nothing. It
// runs as root under LC_ALL=C with stdin from /dev/null.
type Probe struct {
	// ID is the same for the same question: stages that ask it share the answer.
	ID     string
	Script string   // constant sh text; reads its data from "$@"
	Args   []string // become "$@"
	// Env is exported to this script alone. It may hold secrets: it never enters
	// an argv on the host, a record or a message.
	Env map[string]string
	// Merge lets the probes of one Script be asked by a single process, with all
	// their Args in one "$@"; each then gets the whole body and picks its part.
	// A merged script prints one record an argument, in a form that no argument
	// and no content can forge.
	Merge bool
	// Quick says that the script only reads files and asks local tools that answer at
	// once, so that it may take its turn in a process with others. Merge implies it.
	Quick bool
	// TimeoutSeconds until the answer counts as Hung; 0 means 10.
	TimeoutSeconds int
	// MaxBytes of body; more is Failed. 0 means 256 KiB.
	MaxBytes int
	// Reads names what the answer depends on.
	Reads []Resource
}

// Outcome says how a question was answered. The zero value is NotAsked.
type Outcome int

// Outcomes. Failed and Hung mean "could not look"; they never mean Absent.
const (
	NotAsked Outcome = iota
	Answered
	Absent
	Failed
	Hung
)

func (o Outcome) String() string {
	return [...]string{"not asked", "answered", "absent", "failed", "hung"}[o]
}

// Answer is what a host said to one probe.
type Answer struct {
	Outcome Outcome
	Exit    int    // exit status of the script; 128+n for signal n
	Body    []byte // stdout, raw
	Detail  string // for Failed and Hung: the reason in words, with the tail of stderr
}

// Looked says whether the answer is usable: Answered or Absent.
func (a Answer) Looked() bool { return a.Outcome == Answered || a.Outcome == Absent }

// Unknown turns an answer that is not usable into the value that says so.
func (a Answer) Unknown(probe string) Value {
	reason := a.Detail
	if reason == "" {
		reason = a.Outcome.String()
	}
	return Value{State: Unknown, Reason: reason, Probe: probe}
}

// Facts are the answers of one host by probe ID.
type Facts map[string]Answer

// Get is the answer to a probe; the zero Answer (NotAsked) when there is none.
func (f Facts) Get(id string) Answer { return f[id] }
