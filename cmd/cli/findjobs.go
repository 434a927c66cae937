package cli

import (
	"context"
	"errors"
	"sync"

	"github.com/pdprov/pdprov/cmd/view"
	"github.com/pdprov/pdprov/engine/look"
	"github.com/pdprov/pdprov/systemd/job"
)

// hostJobs are the jobs of one host, the oldest first, or why they are unknown.
type hostJobs struct {
	host string
	jobs []job.Status
	err  error
}

// foundJobs are the jobs of hosts in order of declaration.
type foundJobs []hostJobs

// findJobs asks hosts side by side for their jobs and keeps those that fit.
func findJobs(ctx context.Context, f *look.Fleet, hosts []string, fits func(job.Status) bool) foundJobs {
	found := make(foundJobs, len(hosts))
	index := map[string]int{}
	for i, name := range hosts {
		index[name] = i
	}
	var mu sync.Mutex
	f.Each(hosts, func(name string) {
		jobs, err := jobsOf(ctx, f, name, fits)
		mu.Lock()
		defer mu.Unlock()
		found[index[name]] = hostJobs{name, jobs, err}
	})
	return found
}

func jobsOf(ctx context.Context, f *look.Fleet, name string, fits func(job.Status) bool) (jobs []job.Status, err error) {
	h, err := f.Host(ctx, name)
	if err != nil {
		return nil, err
	}
	all, err := job.Find(ctx, h)
	if err != nil {
		return nil, err
	}
	for _, s := range all {
		if fits(s) {
			jobs = append(jobs, s)
		}
	}
	return jobs, nil
}

// none says that no job fits, where that is known of every host.
func (found foundJobs) none() bool { return found.count() == 0 && found.err() == nil }

// newest keeps the newest job of each host.
func (found foundJobs) newest() {
	for i, h := range found {
		if n := len(h.jobs); n > 1 {
			found[i].jobs = h.jobs[n-1:]
		}
	}
}

// count is the number of jobs.
func (found foundJobs) count() (n int) {
	for _, h := range found {
		n += len(h.jobs)
	}
	return n
}

// err holds why the jobs of hosts are unknown.
func (found foundJobs) err() error {
	var all []error
	for _, h := range found {
		all = append(all, onHost(h.host, h.err))
	}
	return errors.Join(all...)
}

// views are the jobs for people and programs.
func (found foundJobs) views() []view.Job {
	jobs := []view.Job{}
	for _, h := range found {
		for _, s := range h.jobs {
			jobs = append(jobs, view.JobOf(h.host, s))
		}
	}
	return jobs
}

func (found foundJobs) gaps() (gaps []view.HostGap) {
	for _, h := range found {
		if h.err != nil {
			gaps = append(gaps, view.HostGap{Name: h.host, Error: h.err.Error()})
		}
	}
	return gaps
}
