package probe

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/pdprov/pdprov/stages/stage"
)

// parser takes a look's output as it comes. Lines without the nonce are dropped.
type parser struct {
	nonce   string
	line    []byte
	raw     []raw
	pending int
	done    chan struct{} // closed when every question has ended
}

// raw is what came of one question.
type raw struct {
	out, err []byte // base64
	room     int    // for more of out and err
	status   string // of timeout
	ended    bool
	damaged  bool
}

const maxLine = 8 << 10

func newParser(nonce string, qs []question) *parser {
	p := &parser{nonce: nonce, raw: make([]raw, len(qs)), pending: len(qs), done: make(chan struct{})}
	for i, q := range qs {
		p.raw[i].room = base64.StdEncoding.EncodedLen(q.kept()) + maxLine
	}
	if len(qs) == 0 {
		close(p.done)
	}
	return p
}

func (p *parser) Write(data []byte) (int, error) {
	n := len(data)
	for {
		i := bytes.IndexByte(data, '\n')
		if i < 0 {
			p.hold(data)
			return n, nil
		}
		p.hold(data[:i])
		p.take(string(p.line))
		p.line, data = p.line[:0], data[i+1:]
	}
}

// hold keeps the beginning of a line; what is longer than any line of ours is noise.
func (p *parser) hold(data []byte) {
	if room := maxLine - len(p.line); len(data) > room {
		data = data[:room]
	}
	p.line = append(p.line, data...)
}

// take reads "NONCE NUMBER PIECE", where PIECE is base64 of the body, "-" and base64 of
// the rest, or "#" and the status of timeout.
func (p *parser) take(line string) {
	rest, ok := strings.CutPrefix(line, p.nonce+" ")
	number, piece, ok2 := strings.Cut(rest, " ")
	i, err := strconv.Atoi(number)
	if !ok || !ok2 || err != nil || i < 0 || i >= len(p.raw) || piece == "" {
		return
	}
	r := &p.raw[i]
	switch {
	case r.ended || len(piece) > r.room:
		r.damaged = true
	case piece[0] == '#':
		r.status, r.ended = piece[1:], true
		if p.pending--; p.pending == 0 {
			close(p.done)
		}
	case piece[0] == '-':
		r.err = append(r.err, piece[1:]...)
		r.room -= len(piece)
	default:
		r.out = append(r.out, piece...)
		r.room -= len(piece)
	}
}

// killed is the status of timeout when the time was over.
const killed = "137"

// answer says what a question's pieces amount to; missing is the answer when its end
// never came.
func (r raw) answer(q question, missing stage.Answer) stage.Answer {
	switch {
	case !r.ended:
		return missing
	case r.status == killed:
		return stage.Answer{Outcome: stage.Hung, Detail: fmt.Sprintf("no answer within %d s", q.timeout)}
	}
	body, stderr, exit, ok := r.decode()
	switch {
	case !ok:
		return failed(0, "the answer arrived damaged")
	case len(body) >= q.kept():
		return failed(exit, fmt.Sprintf("it printed more than %d bytes", q.maxBytes))
	case exit > 128:
		return failed(exit, fmt.Sprintf("ended by signal %d%s", exit-128, because(stderr)))
	}
	body, whole := unwrap(body)
	switch {
	case !whole:
		return failed(exit, "the answer is not whole"+because(stderr))
	case exit == stage.AbsentExit:
		return stage.Answer{Outcome: stage.Absent, Exit: exit, Body: body}
	case exit != 0:
		return failed(exit, fmt.Sprintf("exit status %d%s", exit, because(stderr)))
	}
	return stage.Answer{Outcome: stage.Answered, Body: body}
}

func failed(exit int, detail string) stage.Answer {
	return stage.Answer{Outcome: stage.Failed, Exit: exit, Detail: detail}
}

// unwrap takes the marks of the beginning and the end off.
func unwrap(body []byte) ([]byte, bool) {
	if len(body) < 2 || body[0] != '+' || body[len(body)-1] != '.' {
		return nil, false
	}
	return body[1 : len(body)-1], true
}

// decode undoes base64 and splits the status from the tail of stderr.
func (r raw) decode() (body []byte, stderr string, exit int, ok bool) {
	body, err := base64.StdEncoding.DecodeString(string(r.out))
	if err != nil || r.damaged || r.status != "0" {
		return nil, "", 0, false
	}
	tail, err := base64.StdEncoding.DecodeString(string(r.err))
	if err != nil {
		return nil, "", 0, false
	}
	i := bytes.LastIndex(tail, []byte("\n="))
	if i < 0 {
		return nil, "", 0, false
	}
	exit, err = strconv.Atoi(string(tail[i+2:]))
	return body, string(tail[:i]), exit, err == nil
}

const maxDetail = 300

// because is the last lines of stderr as a clause of a message.
func because(stderr string) string {
	text := Printable(stderr)
	if text == "" {
		return ""
	}
	if len(text) > maxDetail {
		text = "..." + strings.ToValidUTF8(text[len(text)-maxDetail:], "")
	}
	return ": " + text
}

// Printable makes one line of hostile text: control characters become spaces.
func Printable(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) && r != unicode.ReplacementChar {
			return r
		}
		return ' '
	}, strings.ToValidUTF8(s, " "))
	return strings.Join(strings.Fields(s), " ")
}
