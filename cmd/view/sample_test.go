package view_test

import (
	"strings"

	"github.com/pdprov/pdprov/engine/plan"
	"github.com/pdprov/pdprov/stages/stage"
)

// sample is a plan in which everything occurs that a plan can show.
func sample() *plan.Plan {
	p := full()
	for i := range p.Entries {
		p.Entries[i].Changes = append([]stage.Change{}, p.Entries[i].Changes...)
		p.Entries[i].Evidence = append([]plan.Evidence{}, p.Entries[i].Evidence...)
	}
	return p
}

func full() *plan.Plan {
	in := stage.Surface{"mode": stage.Is("0644"), "content": stage.Is("a\nb\n")}
	return &plan.Plan{
		FormatVersion: plan.FormatVersion,
		Hosts: []plan.Host{
			{Name: "h1", State: plan.HostOK},
			{
				Name: "h2", State: plan.HostOK, Holder: "alice@laptop since 2026-11-30T06:12:01Z (apply, process 4711)",
				Running: []plan.Running{{Stage: "command.slow", Since: "2026-11-30T06:12:03Z", Owner: "alice@laptop"}},
			},
			{Name: "h3", State: plan.HostUnreachable, Error: "h3: host key changed: 10.0.0.3 offers another key than /root/.ssh/known_hosts:4\nif the host was rebuilt: ssh-keygen -R 10.0.0.3"},
			{Name: "h4", State: plan.HostUnknown, Error: "h4: connection lost while looking"},
			{Name: "h5", State: plan.HostOK},
		},
		Entries: []plan.Entry{
			{
				Host: "h1", Stage: "package.base", Action: plan.Create, Certainty: plan.Certain, Impact: "none",
				Changes:   []stage.Change{{Path: "jq", Old: stage.Nothing(), New: stage.SomeValue(), Cause: stage.CauseNew}},
				Installed: stage.Surface{"jq": stage.Nothing()},
			},
			{
				Host: "h1", Stage: "file.conf", Action: plan.Update, Certainty: plan.Certain, Impact: "none",
				Changes: []stage.Change{
					{Path: "content", Old: stage.Is("one\ntwo\nthree\nfour\nfive\nsix\n"), New: stage.Is("one\ntwo\nthree\nfour\nfive\n6"), Cause: stage.CauseHost, By: "changed 2026-11-30 06:12"},
					{Path: "mode", Old: stage.Is("0600"), New: stage.Is("0644"), Cause: stage.CauseEdited},
					{Path: "owner", Old: stage.Is("daemon"), New: stage.Is("root"), Cause: stage.CauseBoth},
					{Path: "token", Old: stage.IsSecret("s3cr3t-old"), New: stage.IsSecret("s3cr3t-new"), Cause: stage.CauseUnknown},
					{Path: "line", Old: stage.Is("server 10.0.0.1 weight=5 max_fails=3 fail_timeout=30s"), New: stage.Is("server 10.0.0.2 weight=5 max_fails=3 fail_timeout=30s"), Cause: stage.CauseEdited},
				},
				Installed: stage.Surface{
					"content": stage.Is("one\ntwo\nthree\nfour\nfive\nsix\n"), "mode": stage.Is("0600"), "owner": stage.Is("daemon"),
					"token": stage.Is("s3cr3t-old"), "note": stage.Is(strings.Repeat("word ", 60) + "end"),
				},
				Want: stage.Surface{"token": stage.IsSecret("s3cr3t-new")},
			},
			{
				Host: "h1", Stage: "unit.web", Action: plan.Update, Certainty: plan.Predicted, Impact: "restart", ImpactOn: "web.service",
				Because: []string{"file.conf", "package.base"},
				Changes: []stage.Change{{Path: "process", Old: stage.Is("older than /etc/web.conf"), New: stage.Is("current"), Cause: stage.CauseEdited}},
			},
			{
				Host: "h1", Stage: "file.late", Action: plan.Create, Certainty: plan.Deferred, Impact: "none", Because: []string{"venv.v"},
				Changes: []stage.Change{{Path: "content", Old: stage.Nothing(), New: stage.Value{State: stage.Deferred, Reason: "venv.v"}, Cause: stage.CauseNew}},
			},
			{
				Host: "h1", Stage: "file.gone", Action: plan.Delete, Certainty: plan.Certain, Impact: "none", BlockedBy: []string{"file.x"},
				Changes: []stage.Change{{Path: "content", Old: stage.Is("a\n\tb \n"), New: stage.Nothing(), Cause: stage.CauseEdited}},
			},
			{
				Host: "h1", Stage: "file.x", Action: plan.Blocked, Certainty: plan.Certain, Impact: "none", Changes: []stage.Change{},
				Evidence:  []plan.Evidence{{Probe: "file /etc/x", Outcome: "hung", Detail: "mode: no answer within 10 s: stat waits for a file system that does not answer"}},
				Installed: stage.Surface{"mode": {State: stage.Unknown, Reason: "no answer within 10 s", Probe: "file /etc/x"}},
			},
			{Host: "h1", Stage: "file.a", Action: plan.None, Certainty: plan.Certain, Impact: "none", Installed: in},
			{Host: "h1", Stage: "file.b", Action: plan.None, Certainty: plan.Certain, Impact: "none", Installed: in},
			{
				Host: "h1", Stage: "file.old", Action: plan.None, Certainty: plan.Certain, Impact: "none",
				Changes: []stage.Change{{Path: "mode", Old: stage.Is("0644"), New: stage.Nothing(), Cause: stage.CauseOrphan, By: "applied by alice@laptop at 2026-11-01T10:00:00Z"}},
			},
			{Host: "h2", Stage: "file.a", Action: plan.None, Certainty: plan.Certain, Impact: "none", Installed: in},
			{
				Host: "h5", Stage: "note.boot", Action: plan.Update, Certainty: plan.Certain, Impact: "reboot", ImpactOn: "h5",
				Changes: []stage.Change{{Path: "loaded", Old: stage.Is("570.26"), New: stage.Is("580.65.06"), Cause: stage.CauseEdited}},
			},
			{Host: "h5", Stage: "file.a", Action: plan.None, Certainty: plan.Certain, Impact: "none", Installed: in},
		},
		Summary: plan.Summary{InSync: 4, Change: 6, Blocked: 1, Unreachable: 2, Reboots: 1},
	}
}

// calm is a plan without changes.
func calm() *plan.Plan {
	return &plan.Plan{
		FormatVersion: plan.FormatVersion,
		Hosts:         []plan.Host{{Name: "h1", State: plan.HostOK}, {Name: "h2", State: plan.HostOK}},
		Entries: []plan.Entry{
			{Host: "h1", Stage: "file.a", Action: plan.None, Certainty: plan.Certain, Impact: "none", Changes: []stage.Change{}, Evidence: []plan.Evidence{}, Installed: stage.Surface{"mode": stage.Is("0644")}},
			{Host: "h2", Stage: "file.a", Action: plan.None, Certainty: plan.Certain, Impact: "none", Changes: []stage.Change{}, Evidence: []plan.Evidence{}, Installed: stage.Surface{"mode": stage.Is("0644")}},
		},
		Summary: plan.Summary{InSync: 2},
	}
}
