package view

import (
	"io"
	"strconv"

	"github.com/pdprov/pdprov/engine/plan"
	"github.com/pdprov/pdprov/internal/gpu"
	"github.com/pdprov/pdprov/stages/stage"
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
	// System and Kernel are what runs there; nil when the host could not be looked at.
	System  *stage.Value `json:"system,omitempty"`
	Kernel  *stage.Value `json:"kernel,omitempty"`
	Answers []Answered   `json:"answers"` // in the order of the questions
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

// Facts shows what a host is and its GPUs, then which questions were asked and how each was
// answered: all of them, or those without a usable answer.
func Facts(w io.Writer, hosts []HostFacts, all bool, s Style) error {
	o := &output{w: w}
	for _, h := range hosts {
		o.host(plan.Host{Name: h.Name, State: h.State, Error: h.Error}, s)
		o.head(h)
		if h.GPU != nil {
			o.gpus(*h.GPU)
		}
		o.questions(h, all)
		o.line()
	}
	return o.err
}

// head says which system and which driver a host runs.
func (o *output) head(h HostFacts) {
	rows := [][]string{}
	for _, one := range []struct {
		title string
		v     *stage.Value
	}{{"system", h.System}, {"kernel", h.Kernel}} {
		if one.v != nil {
			rows = append(rows, []string{"  " + one.title, gpuCell(*one.v)})
		}
	}
	if h.GPU != nil {
		d := h.GPU.Driver
		text := gpuCell(d.Loaded) + " loaded"
		if d.Flavour.State == stage.Present {
			text += " (" + value(d.Flavour) + ")"
		}
		rows = append(rows, []string{"  NVIDIA driver", text + ", library " + gpuCell(d.Library)})
	}
	o.table(rows)
}

// questions lists how questions were answered, or counts what is left out.
func (o *output) questions(h HostFacts, all bool) {
	told := map[string]bool{} // beside the GPUs
	if h.GPU != nil {
		for _, g := range h.GPU.Unanswered {
			told[g.Probe] = true
		}
	}
	rows, usable := [][]string{}, 0
	for _, a := range h.Answers {
		good := a.Outcome == stage.Answered.String() || a.Outcome == stage.Absent.String()
		if good {
			usable++
		}
		if all || !good && !told[a.Probe] {
			rows = append(rows, []string{
				"    " + Escape(a.Probe), a.Outcome, "exit " + strconv.Itoa(a.Exit), count(a.Bytes, "byte"), Escape(a.Detail),
			})
		}
	}
	switch n := len(h.Answers); {
	case n == 0:
		return
	case all:
		o.line("  questions")
	default:
		o.line("  ", strconv.Itoa(usable), " of ", count(n, "question"), " answered; --all lists them")
	}
	o.table(rows)
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
