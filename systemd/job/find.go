package job

import (
	"bufio"
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"sort"
	"strconv"
	"strings"

	"github.com/pdprov/pdprov/remote"
	"github.com/pdprov/pdprov/stages/stage"
)

// listScript prints a block a job: the folder, its files started and result, whether
// its unit is active now, and the boot. Values are hex or systemd's own words, so that
// nothing in them can look like another line.
const listScript = `[ -e ` + Root + ` ] || exit 66
cd ` + Root + ` || exit 1
active=$(systemctl list-units --plain --no-legend --state=active,activating,deactivating,reloading 'pdprov-*.service') || exit 1
printf 'current=%s\n' "$(cat /proc/sys/kernel/random/boot_id)"
for d in ./*/*/; do
  [ -f "$d/started" ] || continue
  printf 'job\n'
  cat "$d/started" || exit 1
  if [ -f "$d/result" ]; then
    printf 'result=\n'
    sed 's/^boot=/ended=/' "$d/result" || exit 1
  fi
  printf 'size=%s\n' "$(wc -c <"$d/log")"
done
printf 'active\n%s\n' "$active"`

const probeID = "pdprov jobs"

// Probe asks for all jobs of a host.
func Probe() stage.Probe {
	return stage.Probe{ID: probeID, Script: listScript, MaxBytes: 4 << 20, Reads: []stage.Resource{"path:" + Root}}
}

// Find lists all jobs that a host keeps, the oldest first.
func Find(ctx context.Context, h remote.Host) ([]Status, error) {
	res, err := h.Run(ctx, remote.Command{Script: listScript})
	if err != nil {
		return nil, err
	}
	switch res.Exit {
	case 0:
		return Parse(stage.Answer{Outcome: stage.Answered, Body: res.Stdout})
	case stage.AbsentExit:
		return nil, nil
	default:
		return nil, fmt.Errorf("the jobs of the host cannot be listed: exit status %d: %s", res.Exit, bytes.TrimSpace(res.Stderr))
	}
}

// Parse reads the answer to Probe. Absent means that no job ever ran.
func Parse(a stage.Answer) ([]Status, error) {
	if a.Outcome == stage.Absent {
		return nil, nil
	}
	if a.Outcome != stage.Answered {
		return nil, fmt.Errorf("the jobs of the host are unknown: %s", a.Unknown(probeID).Reason)
	}
	var jobs []map[string]string
	current, active, units := "", false, map[string]bool{}
	lines := bufio.NewScanner(bytes.NewReader(a.Body))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		key, value, has := strings.Cut(lines.Text(), "=")
		switch {
		case lines.Text() == "active":
			active = true
		case active:
			unit, _, _ := strings.Cut(strings.TrimSpace(lines.Text()), " ")
			units[unit] = true
		case lines.Text() == "job":
			jobs = append(jobs, map[string]string{})
		case len(jobs) == 0 && key == "current":
			current = value
		case len(jobs) > 0 && has:
			jobs[len(jobs)-1][key] = value
		}
	}
	if !active {
		return nil, fmt.Errorf("the list of the host's jobs is not whole")
	}
	list := make([]Status, 0, len(jobs))
	for _, fields := range jobs {
		list = append(list, status(fields, current, units))
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].Since < list[j].Since })
	return list, nil
}

func status(f map[string]string, current string, units map[string]bool) Status {
	s := Status{Ref: RefOf(unhex(f["run"]), unhex(f["stage"])), Owner: unhex(f["owner"]), Since: f["since"]}
	_, written := f["result"]
	s.Result = Result{
		Service: f["service"], Code: f["code"], Status: f["status"], Written: written,
		SameBoot: f["boot"] == current, UnitActive: units[f["unit"]] && f["boot"] == current,
	}
	s.State = s.Result.state()
	s.Size, _ = strconv.ParseInt(strings.TrimSpace(f["size"]), 10, 64)
	return s
}

func hexText(s string) string { return hex.EncodeToString([]byte(s)) }

func unhex(s string) string {
	b, err := hex.DecodeString(s)
	if err != nil {
		return ""
	}
	return string(b)
}
