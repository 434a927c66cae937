package shell

import (
	"bytes"
	"io"
	"slices"
	"strings"
)

// gate drops what comes before a marker and hands on what follows it. It keeps the
// end of what it dropped, as evidence for the case that the marker never comes.
type gate struct {
	marker []byte
	to     io.Writer
	open   bool
	// stopped drops everything.
	stopped bool
	onOpen  func()
	// watch are texts before the marker that must be noticed; each is cut out.
	watch  []watched
	before []byte
}

type watched struct {
	text []byte
	seen func()
}

// heldBytes bounds what is kept before the marker.
const heldBytes = 16 << 10

func (g *gate) Write(p []byte) (int, error) {
	if g.stopped {
		return len(p), nil
	}
	if g.open {
		return g.to.Write(p) // none of the writers that a talk gives fails
	}
	before, rest, found := bytes.Cut(append(g.before, p...), g.marker)
	g.before = before
	for _, w := range g.watch {
		g.notice(w)
	}
	switch {
	case found:
		g.before, g.open = bytes.Clone(g.before), true
		g.onOpen()
		if len(rest) > 0 {
			g.to.Write(rest)
		}
	case len(g.before) > heldBytes:
		g.before = bytes.Clone(g.before[len(g.before)-heldBytes/2:])
	}
	return len(p), nil
}

func (g *gate) notice(w watched) {
	for {
		head, rest, found := bytes.Cut(g.before, w.text)
		if !found {
			return
		}
		g.before = slices.Concat(head, rest) // a new slice: what follows the marker is still in the old one
		w.seen()
	}
}

// noise is the end of what came before the marker, as text.
func (g *gate) noise() string {
	return strings.TrimSpace(strings.ToValidUTF8(string(g.before), "?"))
}
