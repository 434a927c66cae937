package manifest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/pdprov/pdprov/internal/posixsh"
	"github.com/pdprov/pdprov/remote"
	"github.com/pdprov/pdprov/stages/stage"
)

// Dir holds one file a stage on the host, History a line an applied stage.
const (
	Dir     = "/var/lib/pdprov/manifest"
	History = "/var/lib/pdprov/history.jsonl"
)

// probeID of the question for all records of a host.
const probeID = "pdprov manifest"

// Probe asks for every record of the host, a line each, and for their number.
func Probe() stage.Probe {
	return stage.Probe{
		ID: probeID, MaxBytes: 8 << 20, Quick: true,
		Script: `[ -e ` + Dir + ` ] || exit 66
cd ` + Dir + ` || exit 1
set -- ./*.json
[ -e "$1" ] || exit 66
cat -- "$@" || exit 1
printf '#%s\n' "$#"`,
		Reads: []stage.Resource{"path:" + Dir},
	}
}

// Parse reads the answer to Probe: the records by address. trouble says in words what
// of the memory could not be read, "" when all was: causes and orphans are then less
// precise, nothing else.
func Parse(f stage.Facts) (records map[string]Record, trouble string) {
	records = map[string]Record{}
	a := f.Get(probeID)
	if !a.Looked() {
		return records, "what was applied earlier is unknown: " + a.Unknown(probeID).Reason
	}
	if a.Outcome == stage.Absent {
		return records, ""
	}
	damaged, told := 0, ""
	for _, line := range bytes.Split(a.Body, []byte("\n")) {
		var r Record
		switch {
		case len(bytes.TrimSpace(line)) == 0:
		case line[0] == '#':
			told = string(line[1:])
		case json.Unmarshal(line, &r) != nil || r.Stage == "" || r.Items == nil:
			damaged++
		default:
			records[r.Stage] = r
		}
	}
	if seen := strconv.Itoa(len(records) + damaged); told != seen {
		trouble = fmt.Sprintf("of what was applied earlier, %s of %q records in %s were read", seen, told, Dir)
	}
	if damaged > 0 {
		trouble = fmt.Sprintf("%d records of what was applied earlier, in %s, cannot be read", damaged, Dir)
	}
	return records, trouble
}

// Write keeps records on the host: each file is replaced by rename, the history grows
// by a line a record. At is set from the host's clock.
func Write(ctx context.Context, h remote.Host, records []Record) error {
	if len(records) == 0 {
		return nil
	}
	var script strings.Builder
	var data bytes.Buffer
	script.WriteString(writeHead)
	for _, r := range records {
		r.At = ""
		line := r.encode()
		script.WriteString("put " + posixsh.Words(fileName(r.Stage), strconv.Itoa(len(line))) + "\n")
		data.Write(line)
	}
	res, err := h.Run(ctx, remote.Command{Script: script.String(), Stdin: &data})
	if err != nil {
		return err
	}
	if res.Exit != 0 {
		return fmt.Errorf("keeping the record of what was applied: exit %d: %s", res.Exit, bytes.TrimSpace(res.Stderr))
	}
	return nil
}

// writeHead defines put NAME SIZE, which reads one record from stdin. The host
// fills in the time; `"at":""` occurs once, since quotes inside strings are escaped.
const writeHead = `set -eu
umask 077
mkdir -p ` + Dir + `
cd ` + Dir + `
now=$(date -u +%Y-%m-%dT%H:%M:%SZ)
if [ -f ` + History + ` ] && [ "$(wc -c <` + History + `)" -gt 4194304 ]; then mv -f ` + History + ` ` + History + `.1; fi
put() {
  trap 'rm -f "./.$1.tmp"' EXIT
  head -c "$2" | sed "s/\"at\":\"\"/\"at\":\"$now\"/" >"./.$1.tmp"
  [ -s "./.$1.tmp" ]
  sync "./.$1.tmp"
  cat "./.$1.tmp" >>` + History + `
  mv -f "./.$1.tmp" "./$1"
  trap - EXIT
}
`

// fileName is readable and the same for the same address.
func fileName(addr string) string {
	sum := sha256.Sum256([]byte(addr))
	slug := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '.' {
			return r
		}
		return '-'
	}, addr)
	return slug[:min(len(slug), 60)] + "-" + hex.EncodeToString(sum[:4]) + ".json"
}
