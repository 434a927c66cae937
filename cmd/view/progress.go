package view

import (
	"io"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/pdprov/pdprov/engine/apply"
)

// Progress tells people how an apply goes on: a line for everything that happens, and
// on a terminal below them a block with a line for each stage that runs now.
type Progress struct {
	w     io.Writer
	style Style
	live  bool

	mu      sync.Mutex
	running []*runningStage // in order of start
	drawn   int             // lines of the block that are on the terminal
	stop    chan struct{}
	stopped chan struct{}
}

// runningStage is one line of the block, rendered by a spinner of its own.
type runningStage struct {
	host, stage string
	bar         *progressbar.ProgressBar
	log         string // the last line of its job
}

const (
	redrawEvery = 200 * time.Millisecond
	// maxBlock keeps the block lower than any terminal: what has scrolled away cannot be
	// drawn over.
	maxBlock = 12
)

// NewProgress tells w, which is a terminal when live is set. Close ends it.
func NewProgress(w io.Writer, s Style, live bool) *Progress {
	p := &Progress{w: w, style: s, live: live, stop: make(chan struct{}), stopped: make(chan struct{})}
	if live {
		go p.redraw()
	} else {
		close(p.stopped)
	}
	return p
}

// Close takes the block away.
func (p *Progress) Close() {
	close(p.stop)
	<-p.stopped
	p.mu.Lock()
	defer p.mu.Unlock()
	io.WriteString(p.w, p.erase())
	p.running = nil
}

func (p *Progress) redraw() {
	defer close(p.stopped)
	ticks := time.NewTicker(redrawEvery)
	defer ticks.Stop()
	for {
		select {
		case <-p.stop:
			return
		case <-ticks.C:
			p.mu.Lock()
			io.WriteString(p.w, p.erase()+p.block())
			p.mu.Unlock()
		}
	}
}

// Event takes one event of an apply.
func (p *Progress) Event(e apply.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.follow(e)
	if line := eventLine(e, p.style); line != "" {
		p.print(line)
	}
}

// Say tells something else without disturbing the block.
func (p *Progress) Say(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.print(text)
}

func (p *Progress) print(text string) {
	text += "\n"
	if p.live {
		text = p.erase() + text + p.block()
	}
	io.WriteString(p.w, text)
}

// follow keeps the list of running stages.
func (p *Progress) follow(e apply.Event) {
	switch e.Type {
	case apply.StageStarted, apply.JobAttached:
		p.running = append(p.running, newRunning(e))
	case apply.StageLog:
		p.lastWords(e.Host, e.Stage, e.Message)
	case apply.HostRebooting: // nothing else runs there now
		p.forget(e.Host, "")
		r := newRunning(e)
		r.log = "the host reboots"
		p.running = append(p.running, r)
	case apply.HostBack:
		p.lastWords(e.Host, e.Stage, "the host is back, looking again")
	case apply.StageDone, apply.StageFailed, apply.StageUnknown, apply.StageSkipped, apply.HostFailed:
		p.forget(e.Host, e.Stage)
	case apply.Finished:
		p.running = nil
	}
}

// lastWords keeps what is shown behind a running stage.
func (p *Progress) lastWords(host, stage, text string) {
	for _, r := range p.running {
		if r.host == host && r.stage == stage {
			r.log = text
		}
	}
}

// Settle forgets what runs: the jobs of earlier applies have ended.
func (p *Progress) Settle() {
	p.mu.Lock()
	defer p.mu.Unlock()
	io.WriteString(p.w, p.erase())
	p.running = nil
}

func newRunning(e apply.Event) *runningStage {
	return &runningStage{host: e.Host, stage: e.Stage, bar: progressbar.NewOptions(
		-1,
		progressbar.OptionSetWriter(io.Discard),
		progressbar.OptionSetDescription(Escape(e.Host+" "+e.Stage)),
		progressbar.OptionSetSpinnerChangeInterval(0),
		progressbar.OptionSetPredictTime(false),
	)}
}

// forget drops a stage that has ended, or all stages of a host.
func (p *Progress) forget(host, stage string) {
	kept := p.running[:0]
	for _, r := range p.running {
		if r.host != host || stage != "" && r.stage != stage {
			kept = append(kept, r)
		}
	}
	p.running = kept
}

// block renders one line for each running stage, none wider than the terminal.
func (p *Progress) block() string {
	var b strings.Builder
	p.drawn = 0
	for i, r := range p.running {
		p.drawn++
		if left := len(p.running) - i; p.drawn == maxBlock && left > 1 {
			b.WriteString("... and " + count(left, "more stage") + "\n")
			break
		}
		r.bar.RenderBlank()
		line := strings.Join(strings.Fields(r.bar.String()), " ")
		if r.log != "" {
			line += "  " + Escape(r.log)
		}
		b.WriteString(p.style.cut(line) + "\n")
	}
	return b.String()
}

// erase moves up over the block and clears what is below.
func (p *Progress) erase() string {
	if p.drawn == 0 {
		return ""
	}
	up := "\x1b[" + strconv.Itoa(p.drawn) + "A\r\x1b[J"
	p.drawn = 0
	return up
}

// cut shortens a line so that it certainly stays on one row of the terminal: what may
// be wide counts as wide.
func (s Style) cut(line string) string {
	used := 0
	for i, r := range line {
		if used++; r >= 0x1100 {
			used++
		}
		if s.Width > 0 && used >= s.Width {
			return line[:i]
		}
	}
	return line
}
