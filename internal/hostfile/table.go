package hostfile

import (
	"fmt"
	"strings"

	"github.com/pdprov/pdprov/internal/record"
)

// pick walks the answer once; the i-th existing path owns the i-th line of stat.
func pick(body []byte, arg string) (Seen, error) {
	records, err := record.Parse(body)
	if err != nil {
		return Seen{}, err
	}
	t, err := arrange(records)
	if err != nil {
		return Seen{}, err
	}
	return t.find(arg)
}

// table is an answer with its records put in their places.
type table struct {
	asked      []record.Record // one for each argument: what sh saw, and the argument
	lines      []string        // stat on what exists, "/" first
	errors     []string        // stat on what does not
	statFailed string          // why stat as a whole is not believed
	sums       []string        // of regular files with a digest, in order
	texts      map[string]string
}

func arrange(records []record.Record) (table, error) {
	t := table{texts: map[string]string{}}
	for i, r := range records {
		switch r.Name {
		case "gone", "link", "file", "other":
			t.asked = append(t.asked, r)
		case "stat":
			t.stat(r.Data)
		case "sums":
			t.sums = strings.Split(r.Data, "\n")
		case "sum":
			t.sums = append(t.sums, r.Data)
		case "text":
			t.text(r.Data)
		case "end":
			if i == len(records)-1 {
				return t, nil
			}
			return t, fmt.Errorf("records after the end")
		default:
			return t, fmt.Errorf("unknown record %.20q", r.Name)
		}
	}
	return t, fmt.Errorf("its end is missing")
}

func (t *table) stat(data string) {
	rc, lines, _ := strings.Cut(data, "\n")
	for line := range strings.Lines(lines) {
		line = strings.TrimSuffix(line, "\n")
		if rest, ok := strings.CutPrefix(line, "="); ok {
			t.lines = append(t.lines, rest)
		} else {
			t.errors = append(t.errors, line)
		}
	}
	if rc != "0" && rc != "1" || len(t.lines) == 0 {
		t.statFailed = fmt.Sprintf("stat failed with exit %s: %.200s", rc, lines)
	}
}

// text takes MODE:PATH, a newline and base64 in lines; base64 has no newline at
// its end, so the path ends where everything after it is base64. To need no such
// guess, the argument is looked up among those asked.
func (t *table) text(data string) {
	for _, a := range t.asked {
		if rest, ok := strings.CutPrefix(data, a.Data+"\n"); ok {
			t.texts[a.Data] = rest
		}
	}
}

func (t table) find(arg string) (Seen, error) {
	there, gone, hashed := 1, 0, 0 // lines[0] is "/"
	var found *record.Record
	var seen Seen
	var err error
	for i, r := range t.asked {
		mine := found == nil && r.Data == arg
		if mine {
			found = &t.asked[i]
		}
		if r.Name == "gone" {
			if mine {
				seen = t.absent(gone)
			}
			gone++
			continue
		}
		digest := r.Name == "file" && !strings.HasPrefix(r.Data, statOnly+":")
		if mine {
			seen, err = t.present(r, there)
			if digest && err == nil {
				t.content(&seen, r, hashed)
			}
		}
		there++
		if digest {
			hashed++
		}
	}
	return t.check(seen, err, found != nil, there, gone, hashed)
}

// check refuses what was matched by order where the numbers do not add up.
func (t table) check(seen Seen, err error, found bool, there, gone, hashed int) (Seen, error) {
	switch {
	case !found:
		return Seen{}, fmt.Errorf("it does not speak of this path")
	case t.statFailed != "":
		return Seen{Reason: t.statFailed}, nil
	case there != len(t.lines) || gone != len(t.errors):
		return Seen{}, fmt.Errorf("stat gave %d lines and %d errors for %d paths that are there and %d that are not%s",
			len(t.lines), len(t.errors), there, gone, tail(t.errors))
	case err != nil:
		return Seen{}, err
	case seen.Type == File && hashed != len(t.sums):
		seen.Sum, seen.Body, seen.HasBody = "", nil, false
		seen.Reason = fmt.Sprintf("sha256sum gave %d lines for %d files", len(t.sums), hashed)
	}
	return seen, nil
}

func tail(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return ": " + lines[len(lines)-1]
}
