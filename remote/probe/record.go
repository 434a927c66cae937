package probe

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pdprov/pdprov/stages/stage"
)

// recorded is one answer in the index of a recording; its body lies beside it.
type recorded struct {
	ID      string `json:"id"`
	Outcome string `json:"outcome"`
	Exit    int    `json:"exit,omitempty"`
	Detail  string `json:"detail,omitempty"`
	File    string `json:"file,omitempty"` // "" when the body is empty
}

const indexName = "index.json"

// Record keeps the answers of one host in dir/HOST: the raw bodies as files, and an
// index that is written last. It holds no time, so that recordings can be compared.
func Record(dir, host string, f stage.Facts) error {
	final := filepath.Join(dir, folderName(host))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(dir, ".recording-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	if err := write(tmp, f); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(final, indexName)); err == nil {
		if err := os.RemoveAll(final); err != nil {
			return err
		}
	}
	return os.Rename(tmp, final)
}

// folderName is the host's name as one part of a path that never leads out of its
// folder and is none of the temporary ones.
func folderName(host string) string {
	name := url.PathEscape(host)
	if rest, dotted := strings.CutPrefix(name, "."); dotted || name == "" {
		return "%2E" + rest
	}
	return name
}

func write(dir string, f stage.Facts) error {
	ids := make([]string, 0, len(f))
	for id := range f {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	index := make([]recorded, 0, len(ids))
	for i, id := range ids {
		a := f[id]
		r := recorded{ID: id, Outcome: a.Outcome.String(), Exit: a.Exit, Detail: a.Detail}
		if len(a.Body) > 0 {
			r.File = fileName(i, id)
			if err := os.WriteFile(filepath.Join(dir, r.File), a.Body, 0o600); err != nil {
				return err
			}
		}
		index = append(index, r)
	}
	text, err := json.MarshalIndent(index, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, indexName), append(text, '\n'), 0o600)
}

// fileName is readable, and unique by its number.
func fileName(i int, id string) string {
	slug := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' || r == '_' {
			return r
		}
		return '-'
	}, id)
	return fmt.Sprintf("%03d-%s", i, slug[:min(len(slug), 60)])
}

// Replay reads what Record kept of one host; os.IsNotExist tells that there is nothing.
func Replay(dir, host string) (stage.Facts, error) {
	folder := filepath.Join(dir, folderName(host))
	text, err := os.ReadFile(filepath.Join(folder, indexName))
	if err != nil {
		return nil, err
	}
	var index []recorded
	if err := json.Unmarshal(text, &index); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(folder, indexName), err)
	}
	facts := stage.Facts{}
	for _, r := range index {
		a := stage.Answer{Outcome: outcome(r.Outcome), Exit: r.Exit, Detail: r.Detail}
		if r.File != "" {
			if a.Body, err = os.ReadFile(filepath.Join(folder, filepath.Base(r.File))); err != nil {
				return nil, fmt.Errorf("the recording of %s is not whole: %w", host, err)
			}
		}
		facts[r.ID] = a
	}
	return facts, nil
}

// outcome reads the name of an outcome; an unknown name is Failed, never Absent.
func outcome(name string) stage.Outcome {
	for o := stage.NotAsked; o <= stage.Hung; o++ {
		if o.String() == name {
			return o
		}
	}
	return stage.Failed
}
