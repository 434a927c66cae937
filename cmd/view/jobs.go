package view

import (
	"io"
	"strings"

	"github.com/pdprov/pdprov/systemd/job"
)

// JobsDocument is what logs prints with --json.
type JobsDocument struct {
	FormatVersion int   `json:"format_version"`
	Jobs          []Job `json:"jobs"`
	// Unknown are the hosts whose jobs could not be listed.
	Unknown []HostGap `json:"unknown_hosts,omitempty"`
}

// HostGap is a host whose jobs could not be listed.
type HostGap struct {
	Name  string `json:"name"`
	Error string `json:"error"`
}

// Job is a job that a host keeps.
type Job struct {
	Host  string `json:"host"`
	Stage string `json:"stage"`
	Run   string `json:"run"`
	State string `json:"state"` // running, done, failed, interrupted
	How   string `json:"how"`   // how it ended, in words
	Since string `json:"since"`
	Owner string `json:"owner"`
	Size  int64  `json:"log_bytes"`
	// Log is the whole log where one was asked for.
	Log string `json:"log,omitempty"`
}

// JobOf is a job's status for people and programs.
func JobOf(host string, s job.Status) Job {
	return Job{
		Host: host, Stage: s.Ref.Stage, Run: s.Ref.Run, State: s.State.String(),
		How: s.Result.Describe(), Since: s.Since, Owner: s.Owner, Size: s.Size,
	}
}

// JobLine is a job in one line.
func JobLine(j Job) string {
	return Escape(j.Host) + " " + Escape(j.Stage) + ": run " + Escape(j.Run) + " of " + Escape(j.Since) +
		", started by " + Escape(j.Owner) + ", " + Escape(j.How)
}

// Jobs shows jobs as a table, the oldest first.
func Jobs(w io.Writer, jobs []Job, s Style) error {
	o := &output{w: w}
	if len(jobs) == 0 {
		o.line("No jobs.")
	}
	rows := make([][]string, 0, len(jobs))
	for _, j := range jobs {
		rows = append(rows, []string{
			Escape(j.Host), Escape(j.Stage), j.State, Escape(j.Since), "run " + Escape(j.Run), "by " + Escape(j.Owner), Escape(j.How),
		})
	}
	o.table(rows)
	return o.err
}

// table aligns columns.
func (o *output) table(rows [][]string) {
	var widest []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widest) {
				widest = append(widest, 0)
			}
			widest[i] = max(widest[i], width(cell))
		}
	}
	for _, row := range rows {
		line := ""
		for i, cell := range row {
			line += pad(cell, widest[i]) + "  "
		}
		o.line(strings.TrimRight(line, " "))
	}
}
