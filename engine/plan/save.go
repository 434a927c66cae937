package plan

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"sort"
	"strings"
)

// Source says how a saved plan was made, so that apply can make it again. It holds
// no secret: sensitive variables must be given again.
type Source struct {
	Base     string            `json:"base,omitempty"` // the folder of the saved plan when it was made, absolute
	Paths    []string          `json:"paths"`          // absolute
	VarFiles []string          `json:"var_files,omitempty"`
	Vars     []string          `json:"vars,omitempty"` // name=value, without sensitive ones
	Environ  map[string]string `json:"environ,omitempty"`
	Options  Options           `json:"options"`
	Deep     bool              `json:"deep,omitempty"`
}

// Saved is a plan in a file.
type Saved struct {
	FormatVersion int               `json:"format_version"`
	Source        Source            `json:"source"`
	Salt          string            `json:"salt"`
	Entries       map[string]string `json:"entries"` // host/stage: what would be done, in words
	Digests       map[string]string `json:"digests"` // host/stage: keyed digest of the same, secrets included
}

// Save encodes a plan for a file. A secret is in it only as a digest keyed by salt,
// which the caller makes at random, at least 16 bytes.
func Save(p *Plan, src Source, salt []byte) ([]byte, error) {
	s := Saved{FormatVersion: FormatVersion, Source: src, Salt: hex.EncodeToString(salt)}
	s.Entries, s.Digests = describe(p, salt)
	return json.MarshalIndent(s, "", "  ")
}

// Load decodes a saved plan.
func Load(data []byte) (*Saved, error) {
	var s Saved
	if err := json.Unmarshal(data, &s); err != nil {
		return nil, fmt.Errorf("this is not a saved plan: %w", err)
	}
	if s.FormatVersion != FormatVersion {
		return nil, fmt.Errorf("the saved plan has format version %d, this pdprov reads %d: make the plan again", s.FormatVersion, FormatVersion)
	}
	return &s, nil
}

// Differences says, in order, where a plan made now is not the saved one.
func (s *Saved) Differences(now *Plan) []string {
	salt, _ := hex.DecodeString(s.Salt)
	entries, digests := describe(now, salt)
	keys := map[string]bool{}
	for k := range s.Entries {
		keys[k] = true
	}
	for k := range entries {
		keys[k] = true
	}
	var out []string
	for k := range keys {
		if s.Digests[k] != digests[k] {
			out = append(out, difference(k, s.Entries[k], entries[k]))
		}
	}
	sort.Strings(out)
	return out
}

func difference(key, saved, now string) string {
	switch {
	case saved == "":
		return key + ": not in the saved plan, now " + now
	case now == "":
		return key + ": saved plan says " + saved + ", now there is no such entry"
	case saved == now:
		return key + ": a value that is not shown has changed since the plan was saved"
	default:
		return key + ": saved plan says " + saved + ", now " + now
	}
}

// describe says in words what each entry does; entries in sync and hosts that
// could not be looked at are part of it.
func describe(p *Plan, salt []byte) (entries, digests map[string]string) {
	entries, digests = map[string]string{}, map[string]string{}
	put := func(key, text, hidden string) {
		mac := hmac.New(sha256.New, salt)
		mac.Write([]byte(text + "\x00" + hidden))
		entries[key], digests[key] = text, hex.EncodeToString(mac.Sum(nil))
	}
	for _, h := range p.Hosts {
		put(h.Name, string(h.State), "")
	}
	for _, e := range p.Entries {
		var words, hidden []string
		for _, c := range e.Changes {
			words = append(words, fmt.Sprintf("%s: %q -> %q", c.Path, c.Old, c.New))
			hidden = append(hidden, c.Old.Text, c.New.Text)
		}
		text := strings.TrimSpace(string(e.Action) + " " + strings.Join(words, ", "))
		put(e.Host+"/"+e.Stage, text+", impact "+e.ImpactText(), strings.Join(hidden, "\x00"))
	}
	return entries, digests
}
