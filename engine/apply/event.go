package apply

import "time"

// EventType names what happened.
type EventType string

// Types of events, in the order in which a host usually sees them.
const (
	HostConnected EventType = "host_connected"
	HostFailed    EventType = "host_failed" // could not be reached or looked at; Error says why
	LockWaiting   EventType = "lock_waiting"
	LockTaken     EventType = "lock_taken"
	JobAttached   EventType = "job_attached" // a job of an earlier run was found running
	StageStarted  EventType = "stage_started"
	StageLog      EventType = "stage_log" // Message is one line of the job's log
	StageUnknown  EventType = "stage_unknown"
	StageDone     EventType = "stage_done"
	StageFailed   EventType = "stage_failed"
	StageSkipped  EventType = "stage_skipped"  // something that it needs failed
	HostRebooting EventType = "host_rebooting" // Stage, whose steps have ended well, needs it
	HostBack      EventType = "host_back"      // another boot is up; Message is how long it took
	LinkLost      EventType = "link_lost"
	LinkBack      EventType = "link_back"
	Finished      EventType = "summary"
)

// Event is one thing that happened during an apply; `apply --json` prints one a line.
type Event struct {
	Time    time.Time `json:"time"`
	Type    EventType `json:"type"`
	Host    string    `json:"host,omitempty"`
	Stage   string    `json:"stage,omitempty"`
	Message string    `json:"message,omitempty"`
	Error   string    `json:"error,omitempty"`
	// Offset is the byte of the job's log after Message (StageLog, LinkBack).
	Offset int64 `json:"offset,omitempty"`
	// Summary is set in the last event.
	Summary *Summary `json:"summary,omitempty"`
}

// Summary of an apply, over all hosts.
type Summary struct {
	Done        int `json:"done"`
	InSync      int `json:"in_sync"`
	Failed      int `json:"failed"`
	Skipped     int `json:"skipped"`
	Unknown     int `json:"unknown"`
	Unreachable int `json:"unreachable"`
}
