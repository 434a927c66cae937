package shell

import (
	"bytes"
	"fmt"
	"io"
)

// head keeps the first bytes of a stream, up to max, and drops the rest.
type head struct {
	max       int64
	kept      bytes.Buffer
	truncated bool
}

func (h *head) Write(p []byte) (int, error) {
	room := h.max - int64(h.kept.Len())
	if int64(len(p)) > room {
		h.truncated = true
		h.kept.Write(p[:room])
		return len(p), nil
	}
	return h.kept.Write(p)
}

// ends keeps the beginning and the end of a stream, half of max each: an error is
// told at either.
type ends struct {
	max     int
	first   []byte
	last    []byte
	dropped int64
}

func (e *ends) Write(p []byte) (int, error) {
	n := len(p)
	if room := e.max/2 - len(e.first); room > 0 {
		take := min(room, len(p))
		e.first = append(e.first, p[:take]...)
		p = p[take:]
	}
	e.last = append(e.last, p...)
	if over := len(e.last) - e.max/2; over > 0 {
		e.dropped += int64(over)
		e.last = append(e.last[:0], e.last[over:]...)
	}
	return n, nil
}

func (e *ends) bytes() []byte {
	if e.dropped == 0 {
		return append(e.first, e.last...)
	}
	return append(fmt.Appendf(e.first, "\n[%d bytes left out]\n", e.dropped), e.last...)
}

// through hands a stream to its reader and remembers the first error, but reads on:
// the script must not be stopped by it.
type through struct {
	to  io.Writer
	err error
}

func (t *through) Write(p []byte) (int, error) {
	if t.err == nil {
		_, t.err = t.to.Write(p)
	}
	return len(p), nil
}
