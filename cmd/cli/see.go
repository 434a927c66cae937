package cli

import (
	"context"
	"fmt"

	"github.com/pdprov/pdprov/engine/look"
	"github.com/pdprov/pdprov/engine/plan"
	"github.com/pdprov/pdprov/stages/stage"
)

// see looks at the hosts, or reads what an earlier look recorded. also is asked of every
// host beside what its stages ask.
func (a *app) see(ctx context.Context, in *input, r reach, recording string, also ...stage.Probe) (map[string]plan.Seen, error) {
	if recording != "" {
		seen, err := look.Replay(recording, in.deployment)
		if err != nil {
			return nil, fmt.Errorf("reading the recording: %w", err)
		}
		return seen, nil
	}
	ctx, stop := a.interruptible(ctx, "Interrupted.")
	defer stop()
	f := r.fleet(a.terminal, in.deployment)
	defer f.Close()
	seen := look.Gather(ctx, f, in.deployment, in.kinds, look.Options{Hosts: r.hosts, Deadline: r.timeout, Also: also})
	if ctx.Err() != nil {
		return nil, errInterrupted
	}
	return seen, nil
}
