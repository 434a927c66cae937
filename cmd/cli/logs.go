package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/pdprov/pdprov/cmd/view"
	"github.com/pdprov/pdprov/engine/look"
	"github.com/pdprov/pdprov/engine/plan"
	"github.com/pdprov/pdprov/systemd/job"
)

// logsOptions are the flags of logs.
type logsOptions struct {
	reach
	stage string
	run   string
}

const logsLong = `Without --stage and --run: list the jobs that the hosts keep. With one of them: print the
log of the newest job that fits, from each host.`

func (a *app) logsCommand() *cobra.Command {
	var o logsOptions
	cmd := &cobra.Command{
		Use: "logs [PATH...]", Short: "List the jobs of the hosts, or print the log of one", Long: logsLong,
		RunE: a.run(func(ctx context.Context, args []string) (int, error) { return a.logs(ctx, args, o) }),
	}
	f := cmd.Flags()
	o.add(f, a)
	f.StringSliceVar(&o.hosts, "host", nil, "only this `HOST` (repeatable, or separated by commas)")
	f.StringVar(&o.stage, "stage", "", "the job of the stage at this `ADDRESS`")
	f.StringVar(&o.run, "run", "", "a job of this `RUN`")
	return cmd
}

func (a *app) logs(ctx context.Context, paths []string, o logsOptions) (int, error) {
	in, err := a.openHosts(paths, o.reach)
	if err != nil {
		return exitError, err
	}
	ctx, stop := a.interruptible(ctx, "Interrupted.")
	defer stop()
	f := o.fleet(a.terminal, in.deployment)
	defer f.Close()
	found := findJobs(ctx, f, hostNames(in.deployment, o.hosts), o.fits)
	if o.stage != "" || o.run != "" {
		a.unhidden(in)
		return exitDone, a.printLogs(ctx, f, found)
	}
	return exitDone, errors.Join(a.listJobs(found.views(), found), found.err())
}

func (o *logsOptions) fits(s job.Status) bool {
	return (o.stage == "" || o.stage == s.Ref.Stage) && (o.run == "" || o.run == s.Ref.Run)
}

func (a *app) listJobs(jobs []view.Job, found foundJobs) error {
	if a.json {
		return view.JSON(a.out, view.JobsDocument{FormatVersion: plan.FormatVersion, Jobs: jobs, Unknown: found.gaps()})
	}
	return view.Jobs(a.out, jobs, a.style(a.out))
}

// printLogs prints the log of the newest job of each host, or adds it to the JSON.
func (a *app) printLogs(ctx context.Context, f *look.Fleet, found foundJobs) error {
	if found.none() {
		return errors.New("no such job on the hosts; pdprov logs without --stage and --run lists them")
	}
	found.newest()
	jobs := found.views()
	errs := []error{found.err()}
	i := 0
	for _, h := range found {
		for _, s := range h.jobs {
			errs = append(errs, onHost(h.host, a.printLog(ctx, f, &jobs[i], s.Ref)))
			i++
		}
	}
	if a.json {
		errs = append(errs, a.listJobs(jobs, found))
	}
	return errors.Join(errs...)
}

func (a *app) printLog(ctx context.Context, f *look.Fleet, j *view.Job, ref job.Ref) error {
	host, err := f.Host(ctx, j.Host)
	if err != nil {
		return err
	}
	if a.json {
		var text bytes.Buffer
		err := job.Log(ctx, host, ref, 0, &text)
		j.Log = f.Deployment().Hide(ref.Stage, text.String())
		return err
	}
	a.say("%s", view.JobLine(*j))
	log := view.NewLines(func(line string) { fmt.Fprintln(a.out, view.LogLine(f.Deployment().Hide(ref.Stage, line))) })
	return errors.Join(job.Log(ctx, host, ref, 0, log), log.Close())
}
