package nixl

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/pdprov/pdprov/internal/record"
	"github.com/pdprov/pdprov/stages/stage"
)

// result is the file that the proof writes.
type result struct {
	Inputs []string         `json:"inputs"`
	Proofs map[string]proof `json:"proofs"` // by "dram.write"
	Facts  struct {
		Plugins    []string `json:"plugins"`
		MemTypes   []string `json:"mem_types"`
		Modules    []string `json:"modules"`
		UCXPath    string   `json:"ucx_path"`
		UCXVersion string   `json:"ucx_version"`
	} `json:"facts"`
}

// proof is what came out of one kind of transfer.
type proof struct {
	Outcome string  `json:"outcome"`
	GBps    float64 `json:"gbps"`
	Reason  string  `json:"reason"`
}

const (
	passed  = "passed"
	tooSlow = "too slow"
)

// result is what the last proof came to, nil where none was made. A file that is none of
// the program's has no Proofs.
func (w wish) result(f stage.Facts) (*result, *stage.Value) {
	p := w.resultProbe()
	a := f.Get(p.ID)
	switch a.Outcome {
	case stage.Absent:
		return nil, nil
	case stage.Answered:
	default:
		v := a.Unknown(p.ID)
		return nil, &v
	}
	items, err := record.Items(a.Body)
	if err != nil {
		return nil, &stage.Value{Reason: "the answer makes no sense: " + err.Error(), Probe: p.ID}
	}
	var r *result
	for _, it := range items {
		switch it.Name {
		case "result":
			if r = new(result); json.Unmarshal([]byte(it.Data), r) != nil {
				r = new(result)
			}
		case "served":
		default:
			return nil, &stage.Value{Reason: fmt.Sprintf("%.40q is no part of the answer", it.Name), Probe: p.ID}
		}
	}
	return r, nil
}

// served shows what stages of other hosts moved to this one and from it.
func (w wish) served(f stage.Facts, s stage.Surface) {
	items, _ := record.Items(f.Get(w.resultProbe().ID).Body)
	for _, it := range items {
		var r struct {
			For  string `json:"for"`
			Runs map[string]struct {
				Checked int    `json:"checked"`
				Filled  int    `json:"filled"`
				Fault   string `json:"fault"`
			} `json:"runs"`
		}
		if it.Name != "served" || json.Unmarshal([]byte(it.Data), &r) != nil {
			continue
		}
		for name, run := range r.Runs {
			text := fmt.Sprintf("%d WRITEs arrived whole, %d READs were filled", run.Checked, run.Filled)
			if run.Fault != "" {
				text = "failed: " + run.Fault
			}
			s["served."+r.For+"."+strings.TrimPrefix(name, peerPrefix)] = stage.Is(text)
		}
	}
}

// value is a proof as the surface has it: passed, or why not.
func (r *result) value(key string, gate float64, now []string) stage.Value {
	if r == nil {
		return stage.Nothing()
	}
	if r.Proofs == nil {
		return stage.Is("its file is damaged")
	}
	p, made := r.Proofs[key]
	stale := moved(r.Inputs, now)
	switch {
	case !made:
		return stage.Nothing()
	case stale != "":
		return stage.Is("stale: " + stale)
	case p.Outcome == passed && p.GBps < gate, p.Outcome == tooSlow && p.GBps < gate:
		return stage.Is(fmt.Sprintf("too slow: %.2f GB/s, and %s GB/s are asked for", p.GBps, strconv.FormatFloat(gate, 'g', -1, 64)))
	case p.Outcome == passed, p.Outcome == tooSlow:
		return stage.Is(passed)
	}
	return stage.Is(strings.TrimSuffix(p.Outcome+": "+p.Reason, ": "))
}

// shown are the paths of a result that are only shown.
func (r *result) shown(s stage.Surface) {
	if r == nil {
		return
	}
	for key, p := range r.Proofs {
		if p.Outcome == passed || p.Outcome == tooSlow {
			s["proof."+key+".gbps"] = stage.Is(fmt.Sprintf("%.2f", p.GBps))
		}
	}
	for path, text := range map[string]string{
		"ucx.version": r.Facts.UCXVersion, "ucx.path": r.Facts.UCXPath, "ucx.modules": strings.Join(r.Facts.Modules, " "),
		"plugins": strings.Join(r.Facts.Plugins, " "), "ucx.memory": strings.Join(r.Facts.MemTypes, " "),
	} {
		if text != "" {
			s[path] = stage.Is(text)
		}
	}
}
