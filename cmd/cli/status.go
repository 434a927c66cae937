package cli

import (
	"context"
	"sort"
	"sync"

	"github.com/spf13/cobra"

	"github.com/pdprov/pdprov/cmd/view"
	"github.com/pdprov/pdprov/engine/look"
	"github.com/pdprov/pdprov/engine/plan"
)

func (a *app) statusCommand() *cobra.Command {
	var o reach
	cmd := &cobra.Command{
		Use: "status [PATH...]", Short: "Show which hosts answer, what runs there, who holds the lock and what was applied",
		RunE: a.run(func(ctx context.Context, args []string) (int, error) { return a.showStatus(ctx, args, o) }),
	}
	o.add(cmd.Flags(), a)
	o.addHosts(cmd.Flags())
	return cmd
}

func (a *app) showStatus(ctx context.Context, paths []string, o reach) (int, error) {
	in, err := a.openHosts(paths, o)
	if err != nil {
		return exitError, err
	}
	ctx, stop := a.interruptible(ctx, "Interrupted.")
	defer stop()
	f := o.fleet(a.terminal, in.deployment)
	defer f.Close()
	hosts := statuses(ctx, f, hostNames(in.deployment, o.hosts), o.connection)
	if a.json {
		err = view.JSON(a.out, view.StatusDocument{FormatVersion: plan.FormatVersion, Hosts: hosts})
	} else {
		err = view.Statuses(a.out, hosts, a.style(a.out))
	}
	switch {
	case err != nil:
		return exitError, err
	case ctx.Err() != nil:
		return exitError, errInterrupted
	default:
		return known(hosts), nil
	}
}

// known is the exit status for hosts of which something may be unknown.
func known(hosts []view.Status) int {
	for _, h := range hosts {
		if h.State != plan.HostOK || len(h.Unknown) > 0 {
			return exitUnknown
		}
	}
	return exitDone
}

// statuses asks hosts side by side for what pdprov itself keeps there.
func statuses(ctx context.Context, f *look.Fleet, names []string, c connection) []view.Status {
	byName := map[string]view.Status{}
	var mu sync.Mutex
	f.Each(names, func(name string) {
		s := statusOf(name, look.One(ctx, f, name, look.Own(), c.timeout))
		mu.Lock()
		defer mu.Unlock()
		byName[name] = s
	})
	list := []view.Status{}
	for _, name := range names {
		list = append(list, byName[name])
	}
	return list
}

func statusOf(name string, s plan.Seen) view.Status {
	st := view.Status{
		Host:    plan.Host{Name: name, State: s.State, Error: s.Error, Running: s.Running, Holder: s.Holder},
		Applied: []view.Applied{},
	}
	if s.State != plan.HostOK {
		return st
	}
	for _, p := range look.Own() {
		if a := s.Facts.Get(p.ID); !a.Looked() {
			st.Unknown = append(st.Unknown, plan.Evidence{Probe: p.ID, Outcome: a.Outcome.String(), Detail: a.Unknown(p.ID).Reason})
		}
	}
	for addr, r := range s.Records {
		st.Applied = append(st.Applied, view.Applied{Stage: addr, At: r.At, Owner: r.Owner, Run: r.Run})
	}
	sort.Slice(st.Applied, func(i, j int) bool { return st.Applied[i].Stage < st.Applied[j].Stage })
	return st
}
