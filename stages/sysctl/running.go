package sysctl

import (
	"fmt"
	"strings"

	"github.com/pdprov/pdprov/stages/stage"
)

// grepWorks makes sure that grep finds what is there: one that finds nothing and says
// so would make every value look empty.
const grepWorks = `if [ "$(grep -aH '' /proc/sys/kernel/ostype)" != /proc/sys/kernel/ostype:Linux ]; then
  echo "grep does not find what is there" >&2
  exit 1
fi`

// runningScript reads keys below /proc/sys. The shell's own read must not be used:
// dash asks for one byte at a time, and the kernel answers only the first request of
// a number ("6" of 65530). grep reads in one go and puts the file's name before each
// line, so no value can pass for another record; which key is missing or could not
// be read is told in records of its own, which begin otherwise.
const runningScript = `cd /proc/sys/kernel && cd .. || exit 1
` + grepWorks + `
exec 3>&1
for key do
  shift
  if [ -f "./$key" ]; then
    set -- "$@" "./$key"
  elif [ -e "./$key" ]; then
    printf 'folder ./%s\n' "$key"
  else
    printf 'absent ./%s\n' "$key"
  fi
done
if [ "$#" -eq 0 ]; then
  echo end
  exit 0
fi
rc=0
err=$(grep -aH '' -- "$@" 2>&1 >&3 3>&-) || rc=$?
if [ "$rc" -gt 2 ] || { [ "$rc" -eq 2 ] && [ -z "$err" ]; }; then
  echo "grep ended with status $rc: $err" >&2
  exit 1
fi
for key do
  printf 'asked %s\n' "$key"
done
while IFS= read -r line; do
  if [ -n "$line" ]; then printf 'err %s\n' "$line"; fi
done <<END_OF_ERR
$err
END_OF_ERR
echo end
`

func runningID(k key) string { return "sysctl:" + k.proc }

func runningProbe(k key) stage.Probe {
	return stage.Probe{
		ID: runningID(k), Script: runningScript, Args: []string{k.proc}, Merge: true,
		Reads: []stage.Resource{resource(k)},
	}
}

// running is the value that the kernel shows; None when it has no such key.
func running(k key, f stage.Facts) stage.Value {
	id := runningID(k)
	a := f.Get(id)
	if a.Outcome != stage.Answered {
		return a.Unknown(id)
	}
	unknown := func(format string, args ...any) stage.Value {
		return stage.Value{Reason: fmt.Sprintf(format, args...), Probe: id}
	}
	text, whole := strings.CutSuffix(string(a.Body), "\nend\n")
	if !whole && string(a.Body) != "end\n" {
		return unknown("the answer is cut off")
	}
	file := "./" + k.proc
	var lines []string
	asked := false
	for line := range strings.SplitSeq(text, "\n") {
		kind, rest, _ := strings.Cut(line, " ")
		switch {
		case strings.HasPrefix(line, file+":"):
			lines = append(lines, line[len(file)+1:])
		case line == "absent "+file:
			return stage.Nothing()
		case line == "folder "+file:
			return unknown("/proc/sys/%s is a folder of settings, not one", k.proc)
		case line == "asked "+file:
			asked = true
		case kind == "err" && (strings.Contains(rest, file+":") || !strings.Contains(rest, "./")):
			return unknown("the kernel does not show it: %s", rest)
		}
	}
	if !asked {
		return unknown("the answer does not hold /proc/sys/%s", k.proc)
	}
	return stage.Is(normal(strings.Join(lines, " ")))
}
