package plan

import (
	"github.com/pdprov/pdprov/engine/manifest"
	"github.com/pdprov/pdprov/stages/stage"
)

// comparison is the outcome of comparing a wanted with a seen surface.
type comparison struct {
	changes  []stage.Change
	unknown  []Evidence // why wanted paths could not be looked at, each with its paths
	doubted  [][]string // those paths
	deferred []string   // stages that a wanted value waits for
}

// compare lists, in order of path, where have does not fulfil want.
func compare(want, have stage.Surface, last *manifest.Record, asked string, ignore []string) comparison {
	var c comparison
	for _, path := range want.Paths() {
		w, h := want[path], seenValue(have, path)
		switch {
		case stage.Ignored(path, ignore):
			continue
		case h.State == stage.Unknown:
			c.doubt(path, h)
			continue
		case w.State == stage.Deferred:
			c.deferred = append(c.deferred, w.Reason)
		case w.Matches(h):
			continue
		}
		h.Secret = h.Secret || w.Secret
		c.changes = append(c.changes, stage.Change{Path: path, Old: h, New: w, Cause: last.Cause(path, w, h, asked), By: h.By})
	}
	for i := range c.unknown {
		c.unknown[i].Detail = listed(c.doubted[i]) + ": " + c.unknown[i].Detail
	}
	return c
}

// doubt notes why a path is unknown: paths of one reason are one piece of evidence.
func (c *comparison) doubt(path string, v stage.Value) {
	for i, e := range c.unknown {
		if e.Probe == v.Probe && e.Detail == v.Reason {
			c.doubted[i] = append(c.doubted[i], path)
			return
		}
	}
	c.unknown = append(c.unknown, Evidence{Probe: v.Probe, Outcome: "unknown", Detail: v.Reason})
	c.doubted = append(c.doubted, []string{path})
}

// seenValue is the value at a path; a path that the kind left out was not looked at.
func seenValue(have stage.Surface, path string) stage.Value {
	if v, ok := have[path]; ok {
		return v
	}
	return stage.Value{State: stage.Unknown, Reason: "not looked at"}
}

// action names what a list of changes amounts to. It is create when nothing of what
// is wanted is there, or when nothing that differs is there and the host certainly
// remembers no earlier apply; delete when nothing is to stay.
func action(want, have stage.Surface, changes []stage.Change, remembered bool) Action {
	if len(changes) == 0 {
		return None
	}
	there, stays, missing := false, false, true
	for path, w := range want {
		there = there || have[path].State == stage.Present
		stays = stays || w.State != stage.None
	}
	for _, c := range changes {
		missing = missing && c.Old.State == stage.None
	}
	switch {
	case !stays:
		return Delete
	case !there, missing && !remembered:
		return Create
	default:
		return Update
	}
}
