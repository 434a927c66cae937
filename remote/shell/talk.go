package shell

import (
	"errors"
	"io"
	"strings"
	"sync"

	"github.com/pdprov/pdprov/remote"
)

const (
	defaultStdout = 8 << 20
	stderrBytes   = 64 << 10
)

// Talk is what goes over the pipes of one started script.
type Talk struct {
	start Start
	cmd   remote.Command
	hooks Hooks

	started, ready, refused, ended chan struct{}
	prompts                        int
	prompted                       chan struct{}
	noPassword                     chan error

	mu      sync.Mutex // over all below
	stopped bool
	sent    bool
	stdout  head
	stream  through
	stderr  ends
	outGate gate
	errGate gate
}

// Hooks are what a talk calls.
type Hooks struct {
	Password func() (string, error) // when sudo asks; needed with WithPassword
	Started  func()                 // when the script begins to run
}

// NewTalk prepares the talk of a start.
func NewTalk(s Start, cmd remote.Command, hooks Hooks) *Talk {
	t := &Talk{
		start: s, cmd: cmd, hooks: hooks,
		started: make(chan struct{}), ready: make(chan struct{}), ended: make(chan struct{}),
		prompted: make(chan struct{}), refused: make(chan struct{}), noPassword: make(chan error, 1),
		stdout: head{max: cmd.MaxBytes}, stream: through{to: cmd.Stdout}, stderr: ends{max: stderrBytes},
	}
	if t.stdout.max <= 0 {
		t.stdout.max = defaultStdout
	}
	t.outGate = gate{marker: []byte("pdprov-start " + s.nonce + "\n"), to: &t.stdout, onOpen: t.begin}
	if cmd.Stdout != nil {
		t.outGate.to = &t.stream
	}
	t.errGate = gate{marker: t.outGate.marker, to: &t.stderr, onOpen: func() {}, watch: []watched{
		{[]byte("pdprov-ready " + s.nonce + "\n"), sync.OnceFunc(func() { close(t.ready) })},
		{[]byte("pdprov-password " + s.nonce), t.prompt},
	}}
	return t
}

func (t *Talk) begin() {
	close(t.started)
	t.hooks.Started()
}

// Started is closed when the script begins to run.
func (t *Talk) Started() <-chan struct{} { return t.started }

// Run holds the talk and returns when both outputs have ended. A read from
// Command.Stdin that is still waiting then is left to end by itself.
func (t *Talk) Run(stdin io.WriteCloser, stdout, stderr io.Reader) {
	go t.say(stdin)
	var wg sync.WaitGroup
	wg.Go(func() { io.Copy(&locked{&t.mu, &t.outGate}, stdout) })
	wg.Go(func() { io.Copy(&locked{&t.mu, &t.errGate}, stderr) })
	wg.Wait()
	close(t.ended)
}

// locked writes under a lock.
type locked struct {
	mu *sync.Mutex
	to io.Writer
}

func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.to.Write(p)
}

// Stop ends the talk before Run does: nothing more is sent, all output that still
// comes is dropped, and Command.Stdout is the caller's again.
func (t *Talk) Stop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stopped, t.outGate.stopped, t.errGate.stopped = true, true, true
}

// Sent says whether any of the script went on its way, so that it may have run.
func (t *Talk) Sent() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.sent
}

// send says whether the script may go now, and notes that it does.
func (t *Talk) send() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sent = !t.stopped
	return t.sent
}

// prompt notes that sudo asked. It asks again only after a wrong password.
func (t *Talk) prompt() {
	t.prompts++
	switch t.prompts {
	case 1:
		close(t.prompted)
	case 2:
		close(t.refused)
	}
}

func (t *Talk) say(stdin io.WriteCloser) {
	defer stdin.Close()
	if t.start.sudo == WithPassword && !t.becomeRoot(stdin) || !t.send() {
		return
	}
	if _, err := io.WriteString(stdin, t.start.script); err != nil {
		return
	}
	if t.cmd.Stdin != nil {
		io.Copy(stdin, t.cmd.Stdin)
	}
}

// becomeRoot writes the password if sudo asks, once, and says whether the script
// may follow: after a wrong password sudo would read the script as the next one.
func (t *Talk) becomeRoot(stdin io.Writer) bool {
	select {
	case <-t.ready:
		return true
	case <-t.ended:
		return false
	case <-t.prompted:
	}
	if err := t.writePassword(stdin); err != nil {
		t.noPassword <- err
		return false
	}
	select {
	case <-t.ready:
		return true
	case <-t.refused:
	case <-t.ended:
	}
	return false
}

func (t *Talk) writePassword(stdin io.Writer) error {
	password, err := t.hooks.Password()
	if err != nil {
		return err
	}
	if strings.ContainsAny(password, "\n\x00") {
		return errors.New("a password for sudo cannot hold a line break or a NUL byte")
	}
	_, err = io.WriteString(stdin, password+"\n")
	return err
}

// Result is what the script said; its Exit and Signal are left to the caller. The
// error is that of Command.Stdout.
func (t *Talk) Result() (remote.Result, error) {
	return remote.Result{
		Stdout: t.stdout.kept.Bytes(), Stderr: t.stderr.bytes(),
		Truncated: t.stdout.truncated || t.stderr.dropped > 0,
	}, t.stream.err
}
