package job

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pdprov/pdprov/internal/posixsh"
	"github.com/pdprov/pdprov/stages/stage"
)

// beginScript is run by systemd before the job, so that a job that is marked as
// started has been one, and the mark names the very invocation of the unit.
const beginScript = `#!/bin/sh
set -eu
LC_ALL=C
export LC_ALL
cd "$1"
read -r boot </proc/sys/kernel/random/boot_id
{
  cat about
  printf 'invocation=%s\n' "$INVOCATION_ID"
  printf 'boot=%s\n' "$boot"
  printf 'since=%s\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ)"
} >started.tmp
sync started.tmp
mv -f started.tmp started
`

// stopScript is run by systemd when the job has ended, however that was. Files may
// hold secrets, so they go. They go first, because that leaves room for the result
// when the job has filled the disk.
const stopScript = `#!/bin/sh
LC_ALL=C
export LC_ALL
cd "$1" || exit 1
` + dropScript + `
system=
[ "$EXIT_CODE" = exited ] || system=$(timeout 5 systemctl is-system-running)
{
  printf '%s\n' "service=$SERVICE_RESULT" "code=$EXIT_CODE" "status=$EXIT_STATUS" "system=$system"
  printf 'ended=%s\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ)"
} >result.tmp && sync result.tmp && mv -f result.tmp result
`

// spareBytes are kept for the result on a disk that the job fills.
const spareBytes = 16 << 10

const jobEnvironment = `LC_ALL=C HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export LC_ALL HOME PATH
`

// runScript runs the steps one after the other. Each is a file of its own, so that
// the line numbers in a shell's message fit, and the first that fails ends the job.
func runScript(s Spec, ref Ref) string {
	var b strings.Builder
	b.WriteString("#!/bin/sh\nset -eu\numask 022\n" + jobEnvironment)
	for i, step := range s.Steps {
		title := strings.Join(strings.Fields(step.Title), " ")
		fmt.Fprintf(&b, "printf '%%s\\n' %s\n", posixsh.Quote("== "+title))
		fmt.Fprintf(&b, "( . %[1]s/env/step%[2]d; PDPROV_FILES=%[1]s/files/%[2]d; export PDPROV_FILES; cd /; exec /bin/sh -eu %[1]s/step%[2]d.sh )\n", ref.Dir, i)
	}
	return b.String()
}

// envScript exports variables; it is a file with mode 0600 and never an argument.
func envScript(maps ...map[string]string) string {
	var b strings.Builder
	for _, env := range maps {
		for _, name := range sortedNames(env) {
			fmt.Fprintf(&b, "export %s=%s\n", name, posixsh.Quote(env[name]))
		}
	}
	return b.String()
}

func sortedNames(env map[string]string) []string { return slices.Sorted(maps.Keys(env)) }

// part is one file of a job's folder.
type part struct {
	path string // below the folder
	data []byte
}

// parts are all files of a job. Every step has a folder for its files, so that two
// steps may use the same name.
func parts(s Spec, ref Ref) []part {
	about := fmt.Sprintf("stage=%s\nrun=%s\nowner=%s\nunit=%s\n", hexText(s.Stage), hexText(s.Run), hexText(s.Owner), ref.Unit)
	list := []part{
		{"about", []byte(about)},
		{"begin.sh", []byte(beginScript)},
		{"run.sh", []byte(runScript(s, ref))},
		{"stop.sh", []byte(stopScript)},
		{"spare", make([]byte, spareBytes)},
	}
	for i, step := range s.Steps {
		list = append(list, stepParts(i, step, s.Env)...)
	}
	return list
}

func stepParts(i int, step stage.Step, env map[string]string) []part {
	list := []part{
		{fmt.Sprintf("step%d.sh", i), []byte(step.Script + "\n")},
		{fmt.Sprintf("env/step%d", i), []byte(envScript(env, step.Env))},
	}
	for _, f := range step.Files {
		list = append(list, part{fmt.Sprintf("files/%d/%s", i, f.Name), f.Data})
	}
	return list
}
