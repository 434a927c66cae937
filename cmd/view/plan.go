package view

import (
	"io"
	"strconv"
	"strings"

	"github.com/pdprov/pdprov/engine/plan"
	"github.com/pdprov/pdprov/hcl/model"
	"github.com/pdprov/pdprov/stages/stage"
)

// Plan shows what would change, host by host, and ends with the summary line.
func Plan(w io.Writer, p *plan.Plan, s Style) error {
	o := &output{w: w}
	for _, h := range p.Hosts {
		entries := of(p, h.Name)
		if worth(h, entries) {
			o.host(h, s)
			o.entries(entries, s)
			o.line()
		}
	}
	o.line(PlanSummary(p))
	return o.err
}

// PlanSummary is the last line of a plan.
func PlanSummary(p *plan.Plan) string {
	if clean(p) {
		return "No changes. " + inSync(p)
	}
	changes := "to change"
	if n := p.Summary.Reboots; n > 0 {
		changes += ", " + count(n, "reboot")
	}
	return "Plan: " + counts(p, changes)
}

func of(p *plan.Plan, host string) []plan.Entry {
	var entries []plan.Entry
	for _, e := range p.Entries {
		if e.Host == host {
			entries = append(entries, e)
		}
	}
	return entries
}

// worth says whether there is anything to tell of a host but stages in sync.
func worth(h plan.Host, entries []plan.Entry) bool {
	for _, e := range entries {
		if !quiet(e) {
			return true
		}
	}
	return h.State != plan.HostOK || len(h.Running) > 0 || h.Holder != "" || len(h.Warnings) > 0
}

// quiet says whether an entry is only counted.
func quiet(e plan.Entry) bool { return e.Action == plan.None && !e.Orphan() }

// host is a host's name and everything that concerns it as a whole.
func (o *output) host(h plan.Host, s Style) {
	name := s.paint(bold, Escape(h.Name))
	switch h.State {
	case plan.HostOK:
		o.line(name)
	case plan.HostUnreachable:
		o.line(name, "   ", s.paint(red, "unreachable"))
	default:
		o.line(name, "   ", s.paint(red, "unknown: it could not be looked at"))
	}
	if h.Error != "" {
		o.line(s.wrap(EscapeLines(strings.TrimPrefix(strings.TrimSpace(h.Error), h.Name+": ")), "    "))
	}
	if h.Holder != "" {
		o.line("    the lock is held by ", Escape(h.Holder))
	}
	for _, w := range h.Warnings {
		o.line("    warning: ", Escape(w))
	}
	for _, r := range h.Running {
		o.line("    a job of ", Escape(r.Stage), " runs since ", Escape(r.Since), ", started by ", Escape(r.Owner))
	}
}

func (o *output) entries(entries []plan.Entry, s Style) {
	synced := 0
	for _, e := range entries {
		if quiet(e) {
			synced++
			continue
		}
		o.entry(e, s)
	}
	if synced > 0 {
		o.line("    ", s.paint(dim, count(synced, "stage")+" in sync"))
	}
}

// ChangedHosts counts the hosts on which a plan changes something, and those among them
// that it reboots: "2 hosts, and reboot 1 of them".
func ChangedHosts(p *plan.Plan) string {
	changed, rebooted := map[string]bool{}, map[string]bool{}
	for _, e := range p.Entries {
		if e.Action != plan.None && e.Action != plan.Blocked {
			changed[e.Host] = true
			if e.Impact == stage.Reboot.String() {
				rebooted[e.Host] = true
			}
		}
	}
	text := count(len(changed), "host")
	switch {
	case len(rebooted) == 0:
		return text
	case len(changed) == 1:
		return text + ", and reboot it"
	default:
		return text + ", and reboot " + strconv.Itoa(len(rebooted)) + " of them"
	}
}

// Extent says how large a deployment is: "3 stages on 2 hosts".
func Extent(d *model.Deployment) string {
	n := 0
	for i := range d.Stages {
		n += len(d.Stages[i].Hosts)
	}
	return count(n, "stage") + " on " + count(len(d.Hosts), "host")
}
