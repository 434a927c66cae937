package plan

import (
	"slices"
	"sort"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/pdprov/pdprov/hcl/model"
	"github.com/pdprov/pdprov/stages/stage"
)

// builder makes the entries of one host, in the order in which they would run.
type builder struct {
	d       *model.Deployment
	kinds   stage.Kinds
	host    *model.Host
	seen    Seen
	ignore  []string // patterns for every stage
	entries map[string]*Entry
	done    []string // addresses in order
}

// add makes the entry of one stage; everything that it depends on is there already.
func (b *builder) add(st *model.Stage) hcl.Diagnostics {
	k, ok := b.kinds.Lookup(st.Kind)
	if !ok {
		return hcl.Diagnostics{st.Diagnostic(stage.Finding{Summary: "Unknown kind of stage", Detail: "This build of pdprov has no kind " + st.Kind + "."})}
	}
	e := &Entry{
		Host: b.host.Name, Stage: st.Addr, Certainty: Certain, Impact: stage.NoImpact.String(),
		Changes: []stage.Change{}, Evidence: []Evidence{},
	}
	b.entries[st.Addr] = e
	b.done = append(b.done, st.Addr)
	b.dependencies(e, st)
	pending := b.pending(st)
	in := b.d.Instance(st, b.host, pending)
	in.Ignore = slices.Concat(st.Ignore, b.ignore)
	b.stale(e, k.Probes(in))
	for _, addr := range e.Because {
		pending[addr] = true
	}
	return b.decide(e, st, k, in)
}

// decide compares and, where something differs, asks the kind for the work.
func (b *builder) decide(e *Entry, st *model.Stage, k stage.Kind, in stage.Instance) hcl.Diagnostics {
	facts := b.seen.Facts
	want, findings := k.Want(in, facts)
	have := k.Have(in, facts)
	for path, v := range have {
		if v.State == stage.Unknown {
			v.Reason = b.d.Hide(st.Addr, v.Reason)
		}
		v.By = b.d.Hide(st.Addr, v.By) // it may name a command with all its words
		have[path] = v
	}
	e.Want, e.Installed, e.Asked = want, have, asked(in, st)
	last := b.record(st.Addr)
	c := compare(want, have, last, e.Asked, in.Ignore)
	e.Changes = append(e.Changes, c.changes...)
	b.follow(e)
	e.Evidence = append(e.Evidence, c.unknown...)
	for _, addr := range c.deferred {
		e.Certainty = Deferred
		e.Because = merge(e.Because, addr)
	}
	if e.Action = action(want, have, e.Changes, last != nil || b.seen.Forgetful); e.Action != None && len(c.unknown) == 0 && !hasError(findings) && e.Certainty != Deferred {
		var more []stage.Finding
		e.Work, more = k.Work(in, facts, e.Changes)
		findings = append(findings, more...)
		e.Impact, e.ImpactOn = e.Work.Impact.String(), e.Work.ImpactOn
		if e.Work.Impact == stage.Reboot {
			e.ImpactOn = b.host.Name
		}
		b.writers(e)
		findings = append(findings, b.partner(e)...)
	}
	if e.Action != None {
		e.BlockedBy = b.blocking(e)
	}
	diags := b.report(e, st, findings)
	if len(c.unknown) > 0 || hasError(findings) {
		e.Action, e.Work, e.BlockedBy = Blocked, stage.Work{}, nil
		e.Impact, e.ImpactOn = stage.NoImpact.String(), ""
	}
	return diags
}

// follow gives a change that follows from others the cause that they have: an edit of
// the plan if one of them comes from there.
func (b *builder) follow(e *Entry) {
	cause := stage.CauseHost
	before := append([]stage.Change(nil), e.Changes...)
	for _, addr := range e.Needs {
		before = append(before, b.entries[addr].Changes...)
	}
	for _, c := range before {
		if !c.Old.Follows && c.Cause != stage.CauseHost {
			cause = stage.CauseEdited
		}
	}
	for i := range e.Changes {
		if e.Changes[i].Old.Follows {
			e.Changes[i].Cause = cause
		}
	}
}

// report turns findings into diagnostics, and into evidence or warnings of the entry.
func (b *builder) report(e *Entry, st *model.Stage, findings []stage.Finding) (diags hcl.Diagnostics) {
	for _, f := range findings {
		f.Detail = b.d.Hide(st.Addr, f.Detail)
		text := strings.TrimSpace(f.Summary + ". " + f.Detail)
		if f.Severity == stage.Error {
			e.Evidence = append(e.Evidence, Evidence{Probe: f.Path, Outcome: FindingOutcome, Detail: text, Summary: f.Summary})
		} else {
			e.Warnings = append(e.Warnings, text)
		}
		f.Detail = "On host " + b.host.Name + ": " + f.Detail
		diags = append(diags, st.Diagnostic(f))
	}
	return diags
}

func hasError(findings []stage.Finding) bool {
	for _, f := range findings {
		if f.Severity == stage.Error {
			return true
		}
	}
	return false
}

// dependencies fills in what must have ended well before the entry starts.
func (b *builder) dependencies(e *Entry, st *model.Stage) {
	for _, addr := range Dependencies(st) {
		if _, here := b.entries[addr]; here {
			e.Needs = merge(e.Needs, addr)
			continue
		}
		if dep, ok := b.d.Stage(addr); ok {
			for _, h := range dep.Hosts {
				e.Elsewhere = merge(e.Elsewhere, h+"/"+addr)
			}
		}
	}
}

// blocking are the blocked entries that an entry needs, near and far.
func (b *builder) blocking(e *Entry) (addrs []string) {
	for _, addr := range e.Needs {
		if need := b.entries[addr]; need.Action == Blocked {
			addrs = merge(addrs, addr)
		} else {
			for _, far := range b.blocking(need) {
				addrs = merge(addrs, far)
			}
		}
	}
	return addrs
}

// pending are the dependencies, near and far, that this plan changes on the host.
func (b *builder) pending(st *model.Stage) map[string]bool {
	pending := map[string]bool{}
	var walk func(addrs []string)
	walk = func(addrs []string) {
		for _, addr := range addrs {
			if e, ok := b.entries[addr]; ok {
				if e.Action != None {
					pending[addr] = true
				}
				walk(e.Needs)
			}
		}
	}
	walk(Dependencies(st))
	return pending
}

// stale marks the entry as predicted where an earlier entry writes what a probe read, or
// reboots the host: what is seen of a boot may not hold in the next.
func (b *builder) stale(e *Entry, probes []stage.Probe) {
	var reads []stage.Resource
	for _, p := range probes {
		reads = append(reads, p.Reads...)
	}
	for _, addr := range b.done {
		if earlier := b.entries[addr]; earlier != e && (earlier.Work.Impact == stage.Reboot || overlap(earlier.Work.Writes, reads)) {
			e.Certainty = Predicted
			e.Because = merge(e.Because, addr)
			e.After = merge(e.After, addr)
		}
	}
}

// writers puts the entry after earlier ones that write the same resources.
func (b *builder) writers(e *Entry) {
	for _, addr := range b.done {
		if earlier := b.entries[addr]; earlier != e && overlap(earlier.Work.Writes, e.Work.Writes) {
			e.After = merge(e.After, addr)
		}
	}
}

func overlap(a, b []stage.Resource) bool {
	for _, x := range a {
		for _, y := range b {
			if x.Overlaps(y) {
				return true
			}
		}
	}
	return false
}

// merge adds s to a sorted list without doubles.
func merge(list []string, s string) []string {
	i := sort.SearchStrings(list, s)
	if i < len(list) && list[i] == s {
		return list
	}
	return append(list[:i], append([]string{s}, list[i:]...)...)
}
