package job

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/pdprov/pdprov/remote"
	"github.com/pdprov/pdprov/stages/stage"
)

// Start starts a job. It starts none twice: when this run has started one of this stage
// before, it says so by its Ref alone. A *RunningError tells of a job of the same stage
// of another run. After a *remote.TransportError it is unknown whether the job started:
// Find says, and Start may be called again.
func Start(ctx context.Context, h remote.Host, s Spec) (Ref, error) {
	ref := RefOf(s.Run, s.Stage)
	if err := s.check(); err != nil {
		return ref, err
	}
	script, data := startScript(s, ref)
	res, err := h.Run(ctx, remote.Command{Script: script, Stdin: data})
	if err != nil {
		return ref, err
	}
	switch res.Exit {
	case 0:
		return ref, nil
	case exitRunning:
		return ref, running(ctx, h, s.Stage)
	case exitRefused:
		return ref, fmt.Errorf("the job could not be started: %s", said(res))
	default:
		return ref, fmt.Errorf("the job could not be started: exit status %d: %s", res.Exit, said(res))
	}
}

// ableScript asks what startHead asks, before anything is begun.
const ableScript = `[ -d /run/systemd/system ] || exit 69`

// Able says why no job can run on a host, so that nothing is begun there.
func Able(ctx context.Context, h remote.Host) error {
	res, err := h.Run(ctx, remote.Command{Script: ableScript})
	if err == nil && res.Exit != 0 {
		err = fmt.Errorf("%s: this host does not run systemd as its first process, and what pdprov changes runs as systemd jobs; boot it with systemd. plan, audit and facts work without", h.Name())
	}
	return err
}

// said is what a script said on stderr, on one line.
func said(res remote.Result) string {
	return strings.Join(strings.FieldsFunc(string(res.Stderr), func(r rune) bool { return r == '\n' || r == '\r' }), "; ")
}

// running names the job that held the unit a moment ago: the newest of the stage.
func running(ctx context.Context, h remote.Host, addr string) error {
	jobs, err := Find(ctx, h)
	if err != nil {
		return err
	}
	last := Status{Ref: RefOf("", addr), Owner: "somebody", Since: "an unknown time"}
	for _, j := range jobs {
		if j.Ref.Stage == addr {
			last = j
		}
	}
	return &RunningError{last}
}

// cancelScript stops the unit only where it is this job's: the next run's job of the
// same stage has the same unit. Its words are the folder and the unit.
const cancelScript = `[ -f "$1/started" ] || { echo "the host keeps no such job" >&2; exit ` + noSuchJob + `; }
now=$(systemctl show -p InvocationID --value "$2") || exit 1
grep -qx "invocation=$now" "$1/started" || exit 0
systemctl stop "$2"`

// Cancel ends a job on its host and returns when it has ended; a job that has ended
// already is left alone.
func Cancel(ctx context.Context, h remote.Host, r Ref) error {
	res, err := h.Run(ctx, remote.Command{Script: script(cancelScript, r.Dir, r.Unit)})
	if err == nil && res.Exit != 0 {
		err = fmt.Errorf("the job of %s could not be cancelled: exit status %d: %s", r.Stage, res.Exit, said(res))
	}
	return err
}

var (
	envName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	runName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$`)
	limit   = regexp.MustCompile(`^[0-9A-Za-z.]*%?$`)
)

// check refuses what could not be sent or run.
func (s Spec) check() error {
	switch {
	case !runName.MatchString(s.Run):
		return fmt.Errorf("%q is no name for a run: letters, digits and dashes", s.Run)
	case !limit.MatchString(s.MemoryMax):
		return fmt.Errorf("%q is no limit of memory: \"8G\"", s.MemoryMax)
	case !limit.MatchString(s.CPUQuota):
		return fmt.Errorf("%q is no limit of CPU time: \"400%%\"", s.CPUQuota)
	}
	for _, step := range s.Steps {
		if err := checkStep(step); err != nil {
			return fmt.Errorf("step %q: %w", step.Title, err)
		}
	}
	return checkEnv(s.Env)
}

func checkStep(step stage.Step) error {
	if strings.ContainsRune(step.Title+step.Script, 0) {
		return fmt.Errorf("its text holds a NUL byte, which no shell can read")
	}
	names := map[string]bool{}
	for _, f := range step.Files {
		if f.Name == "" || f.Name == "." || f.Name == ".." || len(f.Name) > 255 || strings.ContainsAny(f.Name, "/\x00") {
			return fmt.Errorf("%q is no name for a file", f.Name)
		}
		if names[f.Name] {
			return fmt.Errorf("two of its files have the name %q", f.Name)
		}
		names[f.Name] = true
	}
	return checkEnv(step.Env)
}

// checkEnv never shows a value: it may be a secret.
func checkEnv(env map[string]string) error {
	for _, name := range sortedNames(env) {
		switch {
		case !envName.MatchString(name):
			return fmt.Errorf("%q is no name for an environment variable", name)
		case strings.ContainsRune(env[name], 0):
			return fmt.Errorf("the value of the environment variable %s holds a NUL byte", name)
		}
	}
	return nil
}
