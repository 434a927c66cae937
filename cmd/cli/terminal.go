package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"golang.org/x/term"

	"github.com/pdprov/pdprov/cmd/view"
)

// terminal is where pdprov talks to the person: data on out, all else on err.
type terminal struct {
	in       *os.File
	out, err *os.File
	plain    bool // --no-color
	// progress, when set, is drawn on err: what is said goes through it.
	progress *view.Progress
}

// isTerminal says whether a file is one; TERM=dumb cannot move its cursor.
func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

func capable(f *os.File) bool { return isTerminal(f) && os.Getenv("TERM") != "dumb" }

func (t *terminal) style(f *os.File) view.Style {
	if !isTerminal(f) {
		return view.Style{}
	}
	s := view.Style{Color: capable(f) && os.Getenv("NO_COLOR") == "" && !t.plain}
	if w, _, err := term.GetSize(int(f.Fd())); err == nil {
		s.Width = w
	}
	return s
}

// live says whether lines on the error output may be drawn over.
func (t *terminal) live() bool { return capable(t.err) && os.Getenv("NO_COLOR") == "" && !t.plain }

// say tells the person something that is not data.
func (t *terminal) say(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); t.progress != nil {
		t.progress.Say(text)
	} else {
		fmt.Fprintln(t.err, text)
	}
}

// warn tells a warning that may hold a host's words.
func (t *terminal) warn(text string) { t.say("Warning: %s", view.Escape(text)) }

// answer asks a question and waits for a line.
func (t *terminal) answer(ctx context.Context, question string) (string, error) {
	fmt.Fprint(t.err, question, " ")
	type reply struct {
		line string
		err  error
	}
	got := make(chan reply, 1)
	go func() {
		line, err := bufio.NewReader(t.in).ReadString('\n')
		got <- reply{line, err}
	}()
	select {
	case <-ctx.Done():
		fmt.Fprintln(t.err)
		return "", ctx.Err()
	case r := <-got:
		if r.err != nil && !errors.Is(r.err, io.EOF) {
			return "", r.err
		}
		return strings.TrimSpace(r.line), nil
	}
}

// secret asks for a word that is not shown; without a terminal it is the first line of
// the input.
func (t *terminal) secret(prompt string) (string, error) {
	if !isTerminal(t.in) {
		line, err := bufio.NewReader(t.in).ReadString('\n')
		if err != nil && line == "" {
			return "", errors.New("no password came: there is no terminal to ask on, and nothing on the standard input")
		}
		return strings.TrimRight(line, "\r\n"), nil
	}
	fmt.Fprint(t.err, prompt)
	text, err := term.ReadPassword(int(t.in.Fd()))
	fmt.Fprintln(t.err)
	return string(text), err
}

// passphrase asks for the passphrase of a key; nil where nobody can be asked.
func (t *terminal) passphrase() func(string) (string, error) {
	if !isTerminal(t.in) {
		return nil
	}
	return t.secret
}

// sudoPassword asks once; all hosts get the same answer.
func (t *terminal) sudoPassword() func(string) (string, error) {
	ask := sync.OnceValues(func() (string, error) { return t.secret("Password for sudo on the hosts: ") })
	return func(string) (string, error) { return ask() }
}
