package unit

import (
	"fmt"
	"strings"
	"time"

	"github.com/pdprov/pdprov/internal/hostfile"
	"github.com/pdprov/pdprov/internal/record"
	"github.com/pdprov/pdprov/stages/stage"
	"github.com/pdprov/pdprov/systemd/unit"
)

// state is what systemd and the host's folders say of one unit.
type state struct {
	props      map[string]string
	enabled    string // "" when it could not be told
	enabledWhy string
	files      map[string]time.Time // unit files, drop-ins and drop-in folders
	filesWhy   string               // why their times are unknown
	now        time.Time            // the host's clock at the look
}

// answer is the whole answer of the merged probe.
type answer struct {
	units, files []string
	data         map[string]string
}

// readState picks one unit's part of an answer.
func readState(p stage.Probe, f stage.Facts) (state, *stage.Value) {
	a := f.Get(p.ID)
	if a.Outcome != stage.Answered {
		if a.Outcome == stage.Absent {
			a.Detail = "the look ended with a status that it never gives"
		}
		v := a.Unknown(p.ID)
		return state{}, &v
	}
	s, err := pick(a.Body, p.Args[0])
	if err != nil {
		return state{}, &stage.Value{State: stage.Unknown, Reason: "the answer makes no sense: " + err.Error(), Probe: p.ID}
	}
	return s, nil
}

func pick(body []byte, name string) (state, error) {
	records, err := record.Parse(body)
	if err != nil {
		return state{}, err
	}
	a := answer{data: map[string]string{}}
	for _, r := range records {
		switch r.Name {
		case "unit":
			a.units = append(a.units, r.Data)
		case "file":
			a.files = append(a.files, r.Data)
		default:
			a.data[r.Name] = r.Data
		}
	}
	if _, whole := a.data["end"]; !whole {
		return state{}, fmt.Errorf("its end is missing")
	}
	return a.of(name)
}

// of finds a unit by its place among those asked; systemctl answers in that order.
func (a answer) of(name string) (state, error) {
	blocks, err := unit.ParseShow([]byte(a.data["show"]))
	if err != nil {
		return state{}, err
	}
	if len(blocks) != len(a.units) {
		return state{}, fmt.Errorf("systemctl show spoke of %d units when asked about %d", len(blocks), len(a.units))
	}
	var s state
	there, mine := 0, -1
	for i, props := range blocks {
		if props["LoadState"] == "" || props["ActiveState"] == "" {
			return state{}, fmt.Errorf("systemctl show said neither LoadState nor ActiveState of %s", a.units[i])
		}
		if a.units[i] == name && s.props == nil {
			s.props = props
			if s.there() {
				mine = there
			}
		}
		if props["LoadState"] != notFound {
			there++
		}
	}
	if s.props == nil {
		return state{}, fmt.Errorf("it does not speak of this unit")
	}
	now, err := hostfile.Timestamp(a.data["now"])
	if err != nil {
		return state{}, fmt.Errorf("the host's time %.40q: %w", a.data["now"], err)
	}
	s.now = now
	s.readEnabled(a.data["enabled"], mine, there)
	s.readFiles(a.files, a.data["times"])
	return s, nil
}

const notFound = "not-found"

func (s state) there() bool { return s.props["LoadState"] != notFound }

// readEnabled takes the unit's line; is-enabled prints one for each unit that exists.
func (s *state) readEnabled(data string, mine, there int) {
	rc, text, _ := strings.Cut(data, "\n")
	lines := strings.Split(text, "\n")
	switch {
	case mine < 0:
	case len(lines) != there || rc != "0" && rc != "1" || !fileState(lines[mine]):
		s.enabledWhy = fmt.Sprintf("systemctl is-enabled, asked about %d units, ended with %s: %.200s", there, rc, text)
	default:
		s.enabled = lines[mine]
	}
}

// fileState says whether a line can be one of is-enabled's states.
func fileState(line string) bool {
	return line != "" && strings.Trim(line, "abcdefghijklmnopqrstuvwxyz-") == ""
}

func (s *state) readFiles(paths []string, data string) {
	rc, text, _ := strings.Cut(data, "\n")
	s.files = map[string]time.Time{}
	lines := strings.Split(text, "\n")
	if len(paths) == 0 && rc == "0" {
		return
	}
	if len(lines) != len(paths) {
		s.filesWhy = fmt.Sprintf("stat, asked about %d files, ended with %s: %.200s", len(paths), rc, text)
		return
	}
	for i, path := range paths {
		t, err := hostfile.Timestamp(strings.TrimPrefix(lines[i], "="))
		if err != nil || lines[i][0] != '=' {
			s.filesWhy = fmt.Sprintf("stat said %.100q", lines[i])
			return
		}
		s.files[path] = t
	}
}
