package plan

import (
	"sort"

	"github.com/hashicorp/hcl/v2"

	"github.com/pdprov/pdprov/hcl/model"
	"github.com/pdprov/pdprov/stages/stage"
)

// Build compares every stage of the deployment with what was seen of its hosts.
// The diagnostics hold what kinds find wrong in the light of the facts; an entry
// with such an error is Blocked, the others stand.
func Build(d *model.Deployment, kinds stage.Kinds, seen map[string]Seen, o Options) (*Plan, hcl.Diagnostics) {
	p := &Plan{FormatVersion: FormatVersion, Hosts: []Host{}, Entries: []Entry{}}
	var diags hcl.Diagnostics
	chosen := selected(d, o.Targets)
	order := Order(d)
	for _, h := range Hosts(d, o) {
		s := seen[h.Name]
		p.Hosts = append(p.Hosts, hostOf(h.Name, s))
		if s.State != HostOK {
			p.Summary.Unreachable++
			continue
		}
		b := builder{d: d, kinds: kinds, host: h, seen: s, ignore: o.Ignore, entries: map[string]*Entry{}}
		for _, st := range order {
			if RunsOn(st, h.Name) && (chosen == nil || chosen[st.Addr]) {
				diags = append(diags, b.add(st)...)
			}
		}
		for _, addr := range b.done {
			p.Entries = append(p.Entries, *b.entries[addr])
		}
		if chosen == nil {
			p.Entries = append(p.Entries, orphans(d, h.Name, s)...)
		}
	}
	p.count()
	return p, append(diags, p.useless(d, o)...)
}

// Hosts are the hosts that options leave, in order of declaration.
func Hosts(d *model.Deployment, o Options) []*model.Host {
	var hosts []*model.Host
	for i := range d.Hosts {
		if len(o.Hosts) == 0 || contains(o.Hosts, d.Hosts[i].Name) {
			hosts = append(hosts, &d.Hosts[i])
		}
	}
	return hosts
}

// RunsOn says whether a stage has an instance on a host.
func RunsOn(s *model.Stage, host string) bool { return contains(s.Hosts, host) }

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

func hostOf(name string, s Seen) Host {
	state := s.State
	if state == "" {
		state = HostUnknown
	}
	return Host{Name: name, State: state, Error: s.Error, Running: s.Running, Holder: s.Holder, Warnings: s.Warnings}
}

func (p *Plan) count() {
	s := Summary{Unreachable: p.Summary.Unreachable}
	for _, e := range p.Entries {
		switch {
		case e.Action == Blocked:
			s.Blocked++
		case e.Action != None:
			s.Change++
			if e.Work.Impact == stage.Reboot {
				s.Reboots++
			}
		case !e.Orphan():
			s.InSync++
		}
	}
	p.Summary = s
}

// Orphan says whether the entry is a stage that was applied once and is in no plan file now.
func (e Entry) Orphan() bool {
	return e.Action == None && len(e.Changes) > 0 && e.Changes[0].Cause == stage.CauseOrphan
}

// orphans are entries for stages that the host remembers and the deployment lacks.
// They change nothing: pdprov removes nothing that was not asked for.
func orphans(d *model.Deployment, host string, s Seen) []Entry {
	var entries []Entry
	for addr, r := range s.Records {
		if st, ok := d.Stage(addr); ok && RunsOn(st, host) {
			continue
		}
		e := Entry{
			Host: host, Stage: addr, Action: None, Certainty: Certain, Impact: stage.NoImpact.String(),
			Changes: []stage.Change{}, Evidence: []Evidence{},
		}
		surface := stage.Surface{}
		for path, it := range r.Items {
			surface[path] = it.Value()
		}
		for _, path := range surface.Paths() {
			e.Changes = append(e.Changes, stage.Change{
				Path: path, Old: surface[path], New: stage.Nothing(), Cause: stage.CauseOrphan,
				By: "applied by " + r.Owner + " at " + r.At,
			})
		}
		entries = append(entries, e)
	}
	sort.Slice(entries, func(i, j int) bool { return entries[i].Stage < entries[j].Stage })
	return entries
}
