// Package manifest is the memory that a host keeps of what was last applied to
// it. It makes the causes of a change precise and finds orphans; it never decides
// whether something must change.
package manifest

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/pdprov/pdprov/stages/stage"
)

// Record is the surface of one stage as it was last applied and proved.
type Record struct {
	Stage string `json:"stage"` // address
	Kind  string `json:"kind"`
	Run   string `json:"run"`   // id of the apply
	Owner string `json:"owner"` // who applied, "alice@laptop"
	At    string `json:"at"`    // the host's clock, RFC 3339
	Salt  string `json:"salt"`  // hex; keys the digests of secrets
	// Asked is the keyed digest of what the plan said of the stage.
	Asked string          `json:"asked,omitempty"`
	Items map[string]Item `json:"items"`
}

// Item is one value of a record: nothing there, a text, or the keyed digest of a secret.
type Item struct {
	None   bool   `json:"none,omitempty"`
	Text   string `json:"text,omitempty"`
	Digest string `json:"hmac,omitempty"`
	Of     string `json:"of,omitempty"` // of the wish that was fulfilled, stage.Value.Of
}

// New makes a record of the wanted paths of a surface that was seen. asked is all that
// the plan says of the stage, which is kept as a digest; salt is random, at least 16 bytes.
func New(addr, kind, asked string, want, have stage.Surface, salt []byte) Record {
	r := Record{Stage: addr, Kind: kind, Salt: hex.EncodeToString(salt), Items: map[string]Item{}}
	r.Asked = digest(asked, r.Salt)
	for path, w := range want {
		it := item(have[path], r.Salt)
		it.Of = w.Of
		r.Items[path] = it
	}
	return r
}

func item(v stage.Value, salt string) Item {
	switch {
	case v.State != stage.Present:
		return Item{None: true}
	case v.Secret:
		return Item{Digest: digest(v.Text, salt)}
	default:
		return Item{Text: v.Text}
	}
}

func digest(text, salt string) string {
	key, _ := hex.DecodeString(salt)
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(text))
	return hex.EncodeToString(mac.Sum(nil))
}

// Fulfils says whether the recorded item would have fulfilled a value (a wish or a sight).
func (r Record) Fulfils(path string, v stage.Value) bool {
	it, ok := r.Items[path]
	switch {
	case !ok:
		return false
	case v.State == stage.None:
		return it.None
	case v.State == stage.Anything:
		return !it.None
	case v.State != stage.Present || it.None:
		return false
	case it.Digest != "":
		return hmac.Equal([]byte(it.Digest), []byte(digest(v.Text, r.Salt)))
	default:
		return !v.Secret && it.Text == v.Text
	}
}

// Matches says whether the record already remembers this surface and what the plan says.
func (r Record) Matches(asked string, want, have stage.Surface) bool {
	if len(r.Items) != len(want) || r.edited(asked) {
		return false
	}
	for path, w := range want {
		if r.Items[path].Of != w.Of || !r.Fulfils(path, have[path]) {
			return false
		}
	}
	return true
}

// Value is what people see of a recorded item.
func (it Item) Value() stage.Value {
	switch {
	case it.None:
		return stage.Nothing()
	case it.Digest != "":
		return stage.IsSecret("")
	default:
		return stage.Is(it.Text)
	}
}

func (r Record) encode() []byte {
	line, err := json.Marshal(r)
	if err != nil {
		panic("manifest: a record of plain strings cannot fail to encode: " + err.Error())
	}
	return append(line, '\n')
}
