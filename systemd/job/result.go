package job

// Result is how a job ended, in systemd's words.
type Result struct {
	Service    string // SERVICE_RESULT: success, exit-code, signal, timeout, oom-kill
	Code       string // EXIT_CODE: exited, killed, dumped
	Status     string // EXIT_STATUS: a number or the name of a signal
	SameBoot   bool   // the boot that it started in still runs
	Written    bool   // a result file was written
	UnitActive bool   // there is no result yet, and its unit, in this very invocation, has not ended
	// System is what systemd said of itself when the job was killed: "stopping" in a
	// shutdown; empty when it was not asked or did not answer.
	System string
}

// OK says that the job ended well: it exited with status 0, and nothing less.
func (r Result) OK() bool { return r.Written && r.Code == "exited" && r.Status == "0" }

// Lost says that nothing tells how the job ended: it left no result, though the host did
// not go down.
func (r Result) Lost() bool { return !r.Written && !r.UnitActive && r.SameBoot }

// shutdown says whether the job was killed because the host went down.
func (r Result) shutdown() bool {
	if !r.Written || r.Code != "killed" || r.Service == "timeout" || r.Service == "oom-kill" {
		return false
	}
	return r.System == "stopping" || r.System == "" && !r.SameBoot && r.Status == "TERM"
}

// state follows the table of endings: no result and an active unit is running; no
// result and another boot, or an end in a shutdown, is an interruption.
func (r Result) state() State {
	switch {
	case r.OK():
		return Done
	case r.UnitActive:
		return Running
	case !r.Written && !r.SameBoot, r.shutdown():
		return Interrupted
	default:
		return Failed
	}
}

// Describe says how the job ended in a sentence for people.
func (r Result) Describe() string {
	switch {
	case r.OK():
		return "ended well"
	case r.UnitActive:
		return "runs"
	case !r.Written && !r.SameBoot:
		return "was cut off by a power cut or a crash of the host"
	case !r.Written:
		return "ended without a result: its unit is gone, and what ended it is not known"
	case r.Service == "oom-kill":
		return "was ended because it used more memory than its memory limit or the host allows"
	case r.Service == "timeout" && r.Status == "KILL":
		return "was killed because it did not end within its timeout, or not within 20 s after it was told to stop"
	case r.Service == "timeout":
		return "was ended because it ran longer than its timeout"
	case r.shutdown():
		return "was interrupted by a reboot or shutdown of the host"
	case r.Code == "killed" && r.Status == "TERM" && r.Service == "success":
		return "was cancelled on the host (systemctl stop)"
	case r.Code == "exited":
		return "failed with exit status " + r.Status
	case r.Status == "":
		return "could not run: systemd says " + r.Service
	default:
		return "was ended by signal " + r.Status
	}
}
