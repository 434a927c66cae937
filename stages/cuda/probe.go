package cuda

import (
	"fmt"
	"path"
	"regexp"
	"strings"

	"github.com/pdprov/pdprov/internal/record"
	"github.com/pdprov/pdprov/stages/stage"
)

const toolkitsID = "cuda.toolkits"

func toolkitsProbe() stage.Probe {
	return stage.Probe{
		ID: toolkitsID, Script: toolkitsScript, TimeoutSeconds: 60,
		Reads: []stage.Resource{"path:/usr/local", "path:/etc/alternatives", "path:/var/lib/alternatives", "path:/etc/ld.so.conf.d"},
	}
}

// toolkitsScript asks every toolkit's own nvcc what it is: version.json is missing on
// some hosts, and nvcc on PATH may be the distribution's. RHEL's alternatives may make
// folders also when they are only asked, so their books are read.
const toolkitsScript = record.Say + record.Show + `
for d in /usr/local/cuda /usr/local/cuda-*; do
  if [ -h "$d" ]; then
    say link "$d"
    if target=$(readlink -f -- "$d"); then say .target "$target"; fi
    continue
  fi
  [ -e "$d" ] || continue
  say folder "$d"
  if [ ! -e "$d/bin/nvcc" ] && [ ! -h "$d/bin/nvcc" ]; then
    say .nvcc absent
    continue
  fi
  rc=0
  out=$(timeout -k 2 10 "$d/bin/nvcc" --version 2>&1) || rc=$?
  say .exit "$rc"
  say .out "$out"
done
if [ -x /usr/sbin/alternatives ]; then
  say books ''
  for f in /etc/alternatives-admindir/cuda /var/lib/alternatives/cuda; do
    [ -e "$f" ] || continue
    mode=''
    { read -r mode <"$f"; } 2>/dev/null || :
    say .mode "$mode"
  done
elif command -v update-alternatives >/dev/null; then
  rc=0
  out=$(update-alternatives --query cuda 2>&1) || rc=$?
  say alternatives "$out"
  say .exit "$rc"
fi
for f in /etc/ld.so.conf /etc/ld.so.conf.d/*.conf; do
  if [ -r "$f" ]; then
    say linker "$f"
    say .text "$(show "$f")"
  fi
done
say end ''
`

// local is what the host has of CUDA outside the books of its package manager.
type local struct {
	toolkits map[string]toolkit // by version of the folder
	links    map[string]string  // to where each leads; "" is unknown
	choice   stage.Value        // of the alternatives: auto or manual
	compat   []string           // lines of the linker's configuration that name such a folder
}

// toolkit is one folder /usr/local/cuda-X.Y that is no link.
type toolkit struct {
	release stage.Value // what nvcc says: "13.0"
	nvcc    string      // "13.0.88"
}

var releaseForm = regexp.MustCompile(`(?m)^Cuda compilation tools, release ([0-9]+\.[0-9]+), V([0-9.]+)$`)

// localOf reads the answer; without a usable one the value says why.
func localOf(f stage.Facts) (local, stage.Value, bool) {
	a := f.Get(toolkitsID)
	if a.Outcome != stage.Answered {
		return local{}, a.Unknown(toolkitsID), false
	}
	l, err := parseLocal(a.Body)
	if err != nil {
		return local{}, stage.Value{Reason: "the answer makes no sense: " + err.Error(), Probe: toolkitsID}, false
	}
	return l, stage.Value{}, true
}

func parseLocal(body []byte) (local, error) {
	l := local{
		toolkits: map[string]toolkit{}, links: map[string]string{},
		choice: stage.Value{Reason: "the host has no update-alternatives", Probe: toolkitsID},
	}
	items, err := record.Items(body)
	if err != nil {
		return l, err
	}
	for _, it := range items {
		switch it.Name {
		case "link":
			l.links[it.Data] = it.Fields["target"]
		case "folder":
			if version, ok := strings.CutPrefix(path.Base(it.Data), "cuda-"); ok {
				l.toolkits[version] = toolkitOf(it)
			} else {
				l.links[it.Data] = it.Data
			}
		case "alternatives":
			l.choice = choiceOf(it)
		case "books":
			l.choice = booksOf(it)
		case "linker":
			l.compat = append(l.compat, compatLines(it)...)
		default:
			return l, fmt.Errorf("%.40q is no part of the answer", it.Name)
		}
	}
	return l, nil
}

// toolkitOf: only a folder without nvcc has none for certain; one that does not answer
// as nvcc does is unknown.
func toolkitOf(it record.Item) toolkit {
	if it.Fields["nvcc"] == "absent" {
		return toolkit{release: stage.Nothing()}
	}
	m := releaseForm.FindStringSubmatch(it.Fields["out"])
	if it.Fields["exit"] != "0" || m == nil {
		return toolkit{release: stage.Value{Probe: toolkitsID, Reason: fmt.Sprintf("%s/bin/nvcc --version ended with exit status %s: %.200q", it.Data, it.Fields["exit"], it.Fields["out"])}}
	}
	return toolkit{stage.Is(m[1]), m[2]}
}

// choiceOf reads update-alternatives: a name that it does not know has no choice.
func choiceOf(it record.Item) stage.Value {
	if strings.Contains(it.Data, "no alternatives for cuda") && it.Fields["exit"] != "0" {
		return stage.Nothing()
	}
	for line := range strings.Lines(it.Data) {
		if word, ok := strings.CutPrefix(strings.TrimSpace(line), "Status: "); ok && it.Fields["exit"] == "0" && (word == "auto" || word == "manual") {
			return stage.Is(word)
		}
	}
	return stage.Value{Probe: toolkitsID, Reason: fmt.Sprintf("update-alternatives --query cuda ended with exit status %s: %.200q", it.Fields["exit"], it.Data)}
}

// booksOf reads the first line of the file that RHEL's alternatives keep for a name.
func booksOf(it record.Item) stage.Value {
	mode, there := it.Fields["mode"]
	switch {
	case !there:
		return stage.Nothing()
	case mode == "auto" || mode == "manual":
		return stage.Is(mode)
	}
	return stage.Value{Probe: toolkitsID, Reason: fmt.Sprintf("the books of alternatives about cuda begin with neither auto nor manual: %.200q", mode)}
}

func compatLines(it record.Item) (lines []string) {
	for line := range strings.Lines(it.Fields["text"]) {
		line, _, _ = strings.Cut(strings.TrimSpace(line), "#")
		if strings.HasPrefix(line, "/") && strings.Contains(line, "/compat") {
			lines = append(lines, it.Data+": "+strings.TrimSpace(line))
		}
	}
	return lines
}
