package sysctl

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/pdprov/pdprov/stages/stage"
)

const (
	bootID     = "sysctl.d"
	sysctlConf = "/etc/sysctl.conf"
)

// bootDirs are in order of weight: a file hides those of the same name in later ones.
var bootDirs = [...]string{"/etc/sysctl.d", "/run/sysctl.d", "/usr/local/lib/sysctl.d", "/usr/lib/sysctl.d", "/lib/sysctl.d"}

// bootScript prints every file's name, also of those without a line, since an empty
// file or a link to /dev/null hides others; then every line behind its file's name
// and number. A name that would make a line ambiguous is refused.
const bootScript = grepWorks + `
exec 3>&1
for f in /etc/sysctl.conf /etc/sysctl.d/*.conf /run/sysctl.d/*.conf /usr/local/lib/sysctl.d/*.conf /usr/lib/sysctl.d/*.conf /lib/sysctl.d/*.conf; do
  case $f in
  *[!A-Za-z0-9\ ._/@+,=~-]*)
    if [ -e "$f" ]; then
      printf 'a file with an unusual name cannot be read safely: %s\n' "$f" >&2
      exit 1
    fi
    continue
    ;;
  esac
  if [ -e "$f" ] || [ -h "$f" ]; then printf 'file %s\n' "$f"; fi
  if [ -f "$f" ]; then set -- "$@" "$f"; fi
done
if [ "$#" -gt 0 ]; then
  rc=0
  err=$(grep -anH '' -- "$@" 2>&1 >&3 3>&-) || rc=$?
  if [ "$rc" -gt 1 ] || [ -n "$err" ]; then
    echo "grep ended with status $rc: $err" >&2
    exit 1
  fi
fi
echo end
`

func bootProbe() stage.Probe {
	reads := []stage.Resource{sysctlResource}
	for _, dir := range bootDirs {
		reads = append(reads, stage.Resource("path:"+dir))
	}
	return stage.Probe{ID: bootID, Script: bootScript, Quick: true, MaxBytes: 1 << 20, Reads: reads}
}

const sysctlResource = stage.Resource("path:" + sysctlConf)

// setting is one assignment in a file.
type setting struct {
	file, key, value string
	line             int
	glob             bool // key is a pattern
	exclude          bool // "-key" without a value: patterns do not apply to key
}

func (s setting) at() string { return fmt.Sprintf("%s:%d", s.file, s.line) }

// seen is a setting as a value of the surface; nil is none.
func (s *setting) seen() stage.Value {
	if s == nil {
		return stage.Nothing()
	}
	return stage.Value{State: stage.Present, Text: s.value, By: s.at()}
}

// bootFiles is every file that sets kernel settings, in the order in which boot reads them.
type bootFiles struct {
	order []string // those that systemd-sysctl reads
	lines map[string][]setting
}

// bootOf parses the answer; nil comes with the value that says why it cannot be used.
func bootOf(f stage.Facts) (*bootFiles, stage.Value) {
	a := f.Get(bootID)
	if a.Outcome != stage.Answered {
		return nil, a.Unknown(bootID)
	}
	b, err := parseBoot(string(a.Body))
	if err != nil {
		return nil, stage.Value{Reason: err.Error(), Probe: bootID}
	}
	return b, stage.Value{}
}

func parseBoot(body string) (*bootFiles, error) {
	text, whole := strings.CutSuffix(body, "end\n")
	if !whole || text != "" && !strings.HasSuffix(text, "\n") {
		return nil, fmt.Errorf("the answer is cut off")
	}
	b := &bootFiles{lines: map[string][]setting{}}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if file, ok := strings.CutPrefix(line, "file "); ok {
			b.lines[file] = nil
			continue
		}
		parts := strings.SplitN(line, ":", 3)
		if len(parts) != 3 {
			return nil, fmt.Errorf("%.120q is not what the probe prints", line)
		}
		number, err := strconv.Atoi(parts[1])
		if _, listed := b.lines[parts[0]]; !listed || err != nil {
			return nil, fmt.Errorf("%.120q is not a line of a listed file", line)
		}
		if s, ok := parseLine(parts[2]); ok {
			s.file, s.line = parts[0], number
			b.lines[s.file] = append(b.lines[s.file], s)
		}
	}
	b.order = readOrder(b.lines)
	return b, nil
}
