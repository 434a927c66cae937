package stagetest

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/pdprov/pdprov/stages/stage"
)

// mutations is how many mangled forms of each answer a kind is shown.
const mutations = 200

// hostile: whatever a host says, a kind reads it, or says that it cannot.
func (c *checker) hostile(in stage.Instance, id string) {
	facts := c.seen[in.Host.Name].Facts
	answer := id + "\n" + string(facts.Get(id).Body)
	if c.suite.shown[answer] {
		return
	}
	if c.suite.shown != nil {
		c.suite.shown[answer] = true
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range mutations {
		a := facts.Get(id)
		a.Body = mangle(random, a.Body)
		other := maps.Clone(facts)
		other[id] = a
		if said := c.panics(in, other); said != nil {
			c.problem("%s, probe %s: panic %v for the answer %q", in.Addr, id, said, a.Body)
			return
		}
	}
}

// panics carries a plan of one stage out up to its steps.
func (c *checker) panics(in stage.Instance, facts stage.Facts) (said any) {
	defer func() { said = recover() }()
	k := c.suite.Kind
	want, _ := k.Want(in, facts)
	have := k.Have(in, facts)
	var changes []stage.Change
	for _, path := range want.Paths() {
		if !want[path].Matches(have[path]) {
			changes = append(changes, stage.Change{Path: path, Old: have[path], New: want[path]})
		}
	}
	_, _ = k.Work(in, facts, changes)
	return nil
}

// mangle cuts, doubles, swaps or overwrites parts of a text.
func mangle(random *rand.Rand, body []byte) []byte {
	b := slices.Clone(body)
	for range 1 + random.IntN(3) {
		from := random.IntN(len(b) + 1)
		to := from + random.IntN(min(len(b)-from, 40)+1)
		switch random.IntN(5) {
		case 0:
			b = slices.Delete(b, from, to)
		case 1:
			b = slices.Insert(b, to, bytes.Clone(b[from:to])...)
		case 2:
			b = b[:from]
		case 3:
			b = slices.Insert(b, from, []byte(fmt.Sprintf("%d", random.Int64()-random.Int64()))...)
		default:
			for i := from; i < to; i++ {
				b[i] = " \t\n\x00./:-=\xffaZ9"[random.IntN(13)]
			}
		}
	}
	return b
}
