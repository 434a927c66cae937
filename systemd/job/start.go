package job

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/pdprov/pdprov/remote"
)

// Exit statuses of the start script.
const exitRunning = 75

var envName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// check refuses what could not be sent or run.
func (s Spec) check() error {
	for _, step := range s.Steps {
		for _, f := range step.Files {
			if f.Name == "" || f.Name == "." || f.Name == ".." || strings.ContainsAny(f.Name, "/\x00") {
				return fmt.Errorf("step %q: %q is no name for a file", step.Title, f.Name)
			}
		}
		for name := range step.Env {
			if !envName.MatchString(name) {
				return fmt.Errorf("step %q: %q is no name for an environment variable", step.Title, name)
			}
		}
	}
	for name := range s.Env {
		if !envName.MatchString(name) {
			return fmt.Errorf("environment of the host: %q is no name for a variable", name)
		}
	}
	return nil
}

// Start starts a job. A *RunningError tells of one of the same stage that runs
// already. After a remote.TransportError it is unknown whether the job started: Find says.
func Start(ctx context.Context, h remote.Host, s Spec) (Ref, error) {
	ref := RefOf(s.Run, s.Stage)
	if err := s.check(); err != nil {
		return ref, err
	}
	about := fmt.Sprintf("stage=%s\nrun=%s\nowner=%s\nunit=%s\n", hexText(s.Stage), hexText(s.Run), hexText(s.Owner), ref.Unit)
	script, data := startScript(s, ref, parts(s, about))
	res, err := h.Run(ctx, remote.Command{Script: script, Stdin: bytes.NewReader(data)})
	if err != nil {
		return ref, err
	}
	switch res.Exit {
	case 0:
		return ref, nil
	case exitRunning:
		return ref, running(ctx, h, s.Stage)
	default:
		return ref, fmt.Errorf("the job could not be started: %s", strings.TrimSpace(string(res.Stderr)))
	}
}

// running names the job that holds the unit.
func running(ctx context.Context, h remote.Host, addr string) error {
	jobs, err := Find(ctx, h)
	if err != nil {
		return err
	}
	for _, j := range jobs {
		if j.Ref.Stage == addr && j.State == Running {
			return &RunningError{j}
		}
	}
	return &RunningError{Status{Ref: RefOf("", addr), Owner: "somebody", Since: "an unknown time"}}
}

// Cancel ends a job on its host.
func Cancel(ctx context.Context, h remote.Host, r Ref) error {
	res, err := h.Run(ctx, remote.Command{Script: "systemctl stop " + r.Unit})
	if err == nil && res.Exit != 0 {
		err = fmt.Errorf("systemctl stop %s: %s", r.Unit, strings.TrimSpace(string(res.Stderr)))
	}
	return err
}
