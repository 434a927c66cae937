package sysctl

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pdprov/pdprov/internal/posixsh"
	"github.com/pdprov/pdprov/stages/stage"
)

// Work sets the running values and writes the stage's file. What it cannot reach is
// an error here, before anything is done: a key that the kernel lacks, and a file
// that boot reads after the stage's own.
func (Kind) Work(in stage.Instance, f stage.Facts, changes []stage.Change) (stage.Work, []stage.Finding) {
	changed := map[string]bool{}
	for _, c := range changes {
		changed[c.Path] = true
	}
	own := fileName(in.Addr)
	findings := unreachable(in, f, own)
	var steps []stage.Step
	var w stage.Work
	var set []key
	keep := changed[othersPath]
	for _, k := range keysOf(in.Config) {
		keep = keep || changed[k.name+filePath] || changed[k.name+bootPath]
		if changed[k.name+runningPath] {
			set = append(set, k)
			w.Writes = append(w.Writes, resource(k))
		}
	}
	if len(set) > 0 { // first, so that a value that the kernel refuses is not kept for the next boot
		steps = append(steps, setStep(set))
	}
	if keep {
		steps = append(steps, keepStep(own, keysOf(in.Config)))
		w.Writes = append(w.Writes, stage.Resource("path:"+own))
	}
	w.Steps, w.TimeoutSeconds = steps, 120
	return w, findings
}

func unreachable(in stage.Instance, f stage.Facts, own string) []stage.Finding {
	var findings []stage.Finding
	boot, _ := bootOf(f)
	for _, k := range keysOf(in.Config) {
		if running(k, f).State == stage.None {
			findings = append(findings, noSuchKey(in, k))
		}
		if boot == nil {
			continue
		}
		if s := boot.winner(k.proc); s != nil && s.value != k.value && !s.glob && comesAfter(s.file, own) {
			findings = append(findings, stage.Finding{
				Path: k.path(), Summary: "Another file has the last word",
				Detail: fmt.Sprintf("%s sets %s to %q and is read after %s at boot. Remove that line, or rename its file.", s.at(), k.name, s.value, own),
			})
		}
	}
	return findings
}

// noSuchKey is only a warning where a stage that this one depends on is yet to run:
// it may load the module that brings the key.
func noSuchKey(in stage.Instance, k key) stage.Finding {
	f := stage.Finding{
		Path: k.path(), Summary: "The kernel has no such setting",
		Detail: fmt.Sprintf("/proc/sys/%s does not exist. Either the name is wrong, or the kernel module that brings it is not loaded.", k.proc),
	}
	if len(in.Pending) > 0 {
		f.Severity = stage.Warning
	}
	return f
}

func comesAfter(file, own string) bool {
	return strings.Compare(baseName(file), baseName(own)) > 0
}

func baseName(file string) string { return file[strings.LastIndex(file, "/")+1:] }

// keepScript replaces a file as a whole: whoever reads it meanwhile, and whoever boots
// after a power cut, has the old or the new one. The temporary name does not end in
// .conf, so boot never reads it.
const keepScript = `mkdir -p /etc/sysctl.d
tmp=$(mktemp /etc/sysctl.d/.pdprov.XXXXXX)
trap 'rm -f -- "$tmp"' EXIT
cat "$PDPROV_FILES/sysctl.conf" >"$tmp"
chmod 0644 "$tmp"
sync "$tmp"
mv -fT -- "$tmp" "$own"
sync /etc/sysctl.d
`

func keepStep(own string, keys []key) stage.Step {
	var text strings.Builder
	text.WriteString("# Written by pdprov; the next apply replaces it.\n")
	for _, k := range keys {
		fmt.Fprintf(&text, "%s = %s\n", k.proc, k.value)
	}
	return stage.Step{
		Title:  "write " + own,
		Script: "own=" + posixsh.Quote(own) + "\n" + keepScript,
		Files:  []stage.File{{Name: "sysctl.conf", Data: []byte(text.String())}},
	}
}

// setScript writes a value in one request, as the kernel demands, and believes only
// what it reads back.
const setScript = `put() {
  if ! printf '%s\n' "$2" >"/proc/sys/$1"; then
    echo "the kernel refused $1 = $2" >&2
    return 1
  fi
  seen=$(tr -s ' \t\n' '   ' <"/proc/sys/$1")
  if [ "${seen% }" != "$2" ]; then
    echo "$1: wrote $2, the kernel shows $seen" >&2
    return 1
  fi
}
`

func setStep(set []key) stage.Step {
	var script strings.Builder
	script.WriteString(setScript)
	var names []string
	for _, k := range set {
		script.WriteString("put " + posixsh.Words(k.proc, k.value) + "\n")
		names = append(names, k.name)
	}
	slices.Sort(names)
	return stage.Step{Title: "set " + strings.Join(names, ", "), Script: script.String()}
}
