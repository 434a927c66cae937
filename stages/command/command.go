// Package command is the kind "command": a check that says whether something is in
// sync, and the text that makes it so.
package command

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"time"

	"github.com/pdprov/pdprov/internal/posixsh"
	"github.com/pdprov/pdprov/stages/stage"
)

// Kind is the kind "command".
type Kind struct{}

// Name is the word after `stage` in a plan file.
func (Kind) Name() string { return "command" }

// Summary is one sentence for people.
func (Kind) Summary() string {
	return "A command of your own: check says whether it is in sync (exit status 0), apply makes it so."
}

const (
	path   = "check"
	passes = "passes"
)

// Schema lists the attributes of a block.
func (Kind) Schema() []stage.Attr {
	return []stage.Attr{
		{Name: "check", Type: stage.String, Required: true, Secrets: true, Doc: "sh text, run as root by every plan and audit; it must change nothing. Exit status 0 is in sync. 1 to 125 and 127 (no such command yet) are not. 126 (cannot be executed), an end by a signal and a timeout say nothing, and block the stage. A failing line ends it, as under sh -e."},
		{Name: "apply", Type: stage.String, Required: true, Secrets: true, Doc: "sh text, run as root when the check fails; afterwards the check must pass. A failing line ends it, as under sh -e."},
		{Name: "env", Type: stage.StringMap, Secrets: true, Doc: "Environment of both; the place for secrets."},
		{Name: "dir", Type: stage.String, Default: "/", Secrets: true, Doc: "Folder that both run in. Without that folder the check counts as failed."},
		{Name: "timeout", Type: stage.String, Default: "10m", Doc: `How long apply may take ("90s", "10m", "2h").`},
		{Name: "check_timeout", Type: stage.String, Default: "30s", Doc: "How long check may take."},
	}
}

// checkScript keeps the check's own output out of the answer, so that nothing which
// the check prints can pass for its exit status. On stderr it is the evidence when
// the check could not be carried out.
//
// 127 counts as a failed check: a check that calls the tool which apply installs
// must lead to apply. 126 does not: the tool is there and something keeps it from
// running, which apply would not know of. 129 and above is the end by a signal.
const checkScript = `if [ ! -e "$1" ]; then echo 'no folder'; exit 0; fi
cd -- "$1" || exit 126
rc=0
sh -ec "$2" check </dev/null >&2 || rc=$?
if [ "$rc" -eq 126 ] || [ "$rc" -ge 128 ]; then
  echo "the check ended with status $rc" >&2
  exit "$rc"
fi
echo "exit $rc"
`

// Probes is the check. It may read anything.
func (Kind) Probes(in stage.Instance) []stage.Probe {
	c := in.Config
	return []stage.Probe{{
		ID: probeID(in), Script: checkScript, Args: []string{c.Text("dir"), c.Text("check")}, Env: environment(in),
		TimeoutSeconds: seconds(c.Text("check_timeout")), MaxBytes: 4096, Reads: []stage.Resource{stage.AnyResource},
	}}
}

// probeID belongs to one check text: an answer that was recorded for another one
// must not be taken for an answer to this.
func probeID(in stage.Instance) string {
	return "check:" + in.Addr + ":" + question(in)
}

// question tells one check from another.
func question(in stage.Instance) string {
	sum := sha256.Sum256([]byte(posixsh.Words(in.Config.Text("dir"), in.Config.Text("check"))))
	return hex.EncodeToString(sum[:4])
}

// environment is the host's, overlaid with the stage's.
func environment(in stage.Instance) map[string]string {
	env := map[string]string{}
	maps.Copy(env, in.Host.Environment)
	maps.Copy(env, in.Config.Map("env"))
	return env
}

// Want is that the check passes.
func (Kind) Want(in stage.Instance, _ stage.Facts) (stage.Surface, []stage.Finding) {
	w := stage.Is(passes)
	w.Of = question(in)
	return stage.Surface{path: w}, nil
}

// Have is what the check said.
func (Kind) Have(in stage.Instance, f stage.Facts) stage.Surface {
	return stage.Surface{path: verdict(probeID(in), f)}
}

func verdict(id string, f stage.Facts) stage.Value {
	a := f.Get(id)
	if a.Outcome != stage.Answered {
		return a.Unknown(id)
	}
	if string(a.Body) == "no folder\n" {
		return stage.Is("fails (its folder is not there)")
	}
	var exit int
	_, err := fmt.Sscanf(string(a.Body), "exit %d\n", &exit)
	switch {
	case err != nil || string(a.Body) != fmt.Sprintf("exit %d\n", exit) || exit < 0 || exit == 126 || exit > 127:
		return stage.Value{Reason: fmt.Sprintf("the answer %.80q is not what the check's script prints", a.Body), Probe: id}
	case exit == 0:
		return stage.Is(passes)
	default:
		return stage.Is(fmt.Sprintf("fails (exit %d)", exit))
	}
}

// Work runs the apply text. It may write anything.
func (Kind) Work(in stage.Instance, _ stage.Facts, _ []stage.Change) (stage.Work, []stage.Finding) {
	c := in.Config
	return stage.Work{
		Steps: []stage.Step{{
			Title:  "run apply",
			Script: "cd -- " + posixsh.Quote(c.Text("dir")) + "\nsh -e -- \"$PDPROV_FILES/apply.sh\" </dev/null\n",
			Files:  []stage.File{{Name: "apply.sh", Data: []byte(c.Text("apply") + "\n")}},
			Env:    maps.Clone(c.Map("env")),
		}},
		Writes: []stage.Resource{stage.AnyResource}, TimeoutSeconds: seconds(c.Text("timeout")),
	}, nil
}

// seconds is a duration rounded up; Validate has refused what is none.
func seconds(text string) int {
	d, _ := time.ParseDuration(text)
	return int((d + time.Second - 1) / time.Second)
}
