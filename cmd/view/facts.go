package view

import (
	"io"
	"strconv"

	"github.com/pdprov/pdprov/engine/plan"
	"github.com/pdprov/pdprov/internal/gpu"
)

// FactsDocument is what facts prints with --json.
type FactsDocument struct {
	FormatVersion int         `json:"format_version"`
	Hosts         []HostFacts `json:"hosts"`
}

// HostFacts is what one host was asked and answered. Bodies are left out: they may
// hold secrets.
type HostFacts struct {
	plan.Host
	Answers []Answered `json:"answers"` // in the order of the questions
	// GPU is what the answers say about the host's GPUs; nil when it could not be looked at.
	GPU *gpu.Box `json:"gpu,omitempty"`
}

// Answered is one question with its answer.
type Answered struct {
	Probe   string `json:"probe"`
	Outcome string `json:"outcome"`
	Exit    int    `json:"exit"`
	Bytes   int    `json:"bytes"`
	Detail  string `json:"detail,omitempty"`
}

// Facts shows which questions were asked and how each was answered, and the host's GPUs.
func Facts(w io.Writer, hosts []HostFacts, s Style) error {
	o := &output{w: w}
	for _, h := range hosts {
		o.host(plan.Host{Name: h.Name, State: h.State, Error: h.Error}, s)
		rows := make([][]string, 0, len(h.Answers))
		for _, a := range h.Answers {
			rows = append(rows, []string{
				"    " + Escape(a.Probe), a.Outcome, "exit " + strconv.Itoa(a.Exit), count(a.Bytes, "byte"), Escape(a.Detail),
			})
		}
		o.table(rows)
		if h.GPU != nil {
			o.gpus(*h.GPU)
		}
		o.line()
	}
	return o.err
}

// Recorded says where answers are kept, and of which hosts.
func Recorded(w io.Writer, dir string, hosts []HostFacts, s Style) error {
	o := &output{w: w}
	kept := 0
	for _, h := range hosts {
		if h.State == plan.HostOK {
			kept++
			continue
		}
		o.host(plan.Host{Name: h.Name, State: h.State, Error: h.Error}, s)
	}
	o.line("The answers of ", count(kept, "host"), " are in ", Escape(dir), ".")
	return o.err
}
