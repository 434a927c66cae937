package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/pdprov/pdprov/cmd/view"
	"github.com/pdprov/pdprov/engine/look"
	"github.com/pdprov/pdprov/engine/plan"
	"github.com/pdprov/pdprov/remote/lock"
)

// unlockOptions are the flags of unlock.
type unlockOptions struct {
	reach
	plans []string
	force bool
}

const unlockLong = `Take the lock of hosts away from whoever holds it. A lock goes by itself some seconds
after its holder is gone, so this is needed only for a pdprov that lives and should not.
A job that runs keeps its host: it is named, and the lock stays unless --force is given.
The pdprov that held the lock is told who took it, and does nothing more on the host.`

func (a *app) unlockCommand() *cobra.Command {
	var o unlockOptions
	cmd := &cobra.Command{
		Use: "unlock HOST...", Short: "Take the lock of hosts away from its holder", Long: unlockLong,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("name the hosts to unlock, as the plan has them; --plan names the plan files")
			}
			return nil
		},
		RunE: a.run(func(ctx context.Context, args []string) (int, error) { return a.unlock(ctx, args, o) }),
	}
	f := cmd.Flags()
	o.add(f, a)
	f.StringArrayVar(&o.plans, "plan", nil, "plan file or directory `PATH` that has the hosts (default: the current directory; repeatable)")
	f.BoolVar(&o.force, "force", false, "also where a job runs; the job itself goes on")
	return cmd
}

func (a *app) unlock(ctx context.Context, hosts []string, o unlockOptions) (int, error) {
	o.hosts = hosts
	in, err := a.openHosts(o.plans, o.reach)
	if err != nil {
		return exitError, err
	}
	ctx, stop := a.interruptible(ctx, "Interrupted.")
	defer stop()
	f := o.fleet(a.terminal, in.deployment)
	defer f.Close()
	seen := statuses(ctx, f, hostNames(in.deployment, hosts), o.connection)
	var errs []error
	for i := range seen {
		errs = append(errs, onHost(seen[i].Name, a.unlockHost(ctx, f, &seen[i], o.force)))
	}
	if a.json {
		errs = append(errs, view.JSON(a.out, view.StatusDocument{FormatVersion: plan.FormatVersion, Hosts: seen}))
	}
	return known(seen), errors.Join(errs...)
}

// unlockHost names the holder and takes the lock away.
func (a *app) unlockHost(ctx context.Context, f *look.Fleet, h *view.Status, force bool) error {
	switch {
	case h.State != plan.HostOK:
		a.say("%s", view.EscapeLines(onHost(h.Name, errors.New(h.Error)).Error()))
		return nil
	case len(h.Running) > 0 && !force:
		r := h.Running[0]
		return fmt.Errorf("a job of %s runs since %s, started by %s; follow it with pdprov attach, or give --force", r.Stage, r.Since, r.Owner)
	case len(h.Unknown) > 0 && !force:
		return fmt.Errorf("it is unknown whether a job runs (%s); give --force to unlock all the same", h.Unknown[0].Detail)
	case h.Holder == "":
		a.tell("%s: nobody holds the lock", h.Name)
		return nil
	}
	a.say("%s: the lock is held by %s", h.Name, h.Holder)
	host, err := f.Host(ctx, h.Name)
	if err != nil {
		return err
	}
	who := self()
	holder, held, err := lock.Break(ctx, host, lock.Holder{Owner: who.owner, From: who.from, PID: who.pid, Doing: "unlock"})
	switch {
	case err != nil:
		return err
	case !held:
		a.tell("%s: its holder gave the lock back meanwhile", h.Name)
	default:
		h.Unlocked = holder.String()
		a.tell("%s: the lock was taken away from %s", h.Name, h.Unlocked)
	}
	return nil
}

// tell prints a result for people.
func (a *app) tell(format string, args ...any) {
	if !a.json {
		fmt.Fprintf(a.out, format+"\n", args...)
	}
}
