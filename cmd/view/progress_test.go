package view_test

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pdprov/pdprov/cmd/view"
	"github.com/pdprov/pdprov/engine/apply"
	"github.com/pdprov/pdprov/internal/golden"
)

// events of an apply in which everything happens.
func events() []apply.Event {
	return []apply.Event{
		{Type: apply.HostConnected, Host: "h1"},
		{Type: apply.HostFailed, Host: "h2", Error: "h2: connection refused: nothing listens on 10.0.0.2:22"},
		{Type: apply.LockWaiting, Host: "h1", Message: "alice@laptop since 2026-11-30T06:12:01Z (apply, process 4711)"},
		{Type: apply.LockTaken, Host: "h1"},
		{Type: apply.JobAttached, Host: "h1", Stage: "command.slow", Message: "started by alice@laptop at 2026-11-30T06:12:03Z"},
		{Type: apply.StageStarted, Host: "h1", Stage: "file.motd", Message: "content"},
		{Type: apply.StageStarted, Host: "h1", Stage: "package.base", Message: "jq"},
		{Type: apply.StageLog, Host: "h1", Stage: "package.base", Message: "Unpacking jq \x1b[31m..."},
		{Type: apply.StageLog, Host: "h1", Stage: "package.base", Message: "waiting: /var/lib/dpkg/lock is held by apt-get (process 4712)"},
		{Type: apply.StageDone, Host: "h1", Stage: "file.motd", Message: "1.2s"},
		{Type: apply.LinkLost, Host: "h1", Stage: "package.base", Error: "h1: connection lost while reading"},
		{Type: apply.LinkBack, Host: "h1", Stage: "package.base", Offset: 100},
		{Type: apply.StageFailed, Host: "h1", Stage: "package.base", Error: "failed with exit status 100\n  | E: No space left on device"},
		{Type: apply.StageSkipped, Host: "h1", Stage: "unit.web", Message: "needs h1/package.base, which did not end well"},
		{Type: apply.StageStarted, Host: "h5", Stage: "note.boot", Message: "loaded"},
		{Type: apply.HostRebooting, Host: "h5", Stage: "note.boot"},
		{Type: apply.HostBack, Host: "h5", Stage: "note.boot", Message: "1m35.2s"},
		{Type: apply.StageDone, Host: "h5", Stage: "note.boot", Message: "2m10s"},
		{Type: apply.StageUnknown, Host: "h1", Stage: "file.x", Error: "blocked: mode: no answer within 10 s"},
		{Type: apply.Finished, Summary: &apply.Summary{Done: 1, Failed: 1, Skipped: 1, Unknown: 1, Unreachable: 1}},
	}
}

func TestPlainProgress(t *testing.T) {
	var b bytes.Buffer
	p := view.NewProgress(&b, view.Style{}, false)
	for _, e := range events() {
		p.Event(e)
	}
	p.Close()
	golden.Check(t, "testdata/progress.txt", b.Bytes())
}

// TestLiveProgress reads what a terminal would show: the block of running stages is
// below the lines, is never left behind, and no line of it is wider than the terminal.
func TestLiveProgress(t *testing.T) {
	var b bytes.Buffer
	p := view.NewProgress(&b, view.Style{Width: 50}, true)
	list := events()
	for _, e := range list[:8] {
		p.Event(e)
	}
	p.Event(apply.Event{Type: apply.StageDone, Host: "h9", Stage: "other", Message: "2s"}) // draws the block
	before := screen(t, b.String())
	for _, want := range []string{"h1 command.slow", "h1 file.motd", `h1 package.base`, `Unpacking jq \x1b[31m`} {
		if !strings.Contains(strings.Join(before[len(before)-3:], "\n"), want) {
			t.Errorf("%q is not in the block:\n%s", want, strings.Join(before, "\n"))
		}
	}
	for _, line := range before[len(before)-3:] {
		if len([]rune(line)) >= 50 {
			t.Errorf("%d columns: %q", len([]rune(line)), line)
		}
	}
	p.Settle()
	for _, e := range list[8:] {
		p.Event(e)
	}
	p.Close()
	after := screen(t, b.String())
	if last := after[len(after)-1]; !strings.Contains(last, "h1 file.x: unknown") {
		t.Errorf("the last line is %q", last)
	}
	for _, line := range after {
		if strings.Contains(line, "Unpacking") {
			t.Errorf("a line of the block was left behind: %q", line)
		}
	}
}

// TestLiveReboot: one line for the stage whose host reboots.
func TestLiveReboot(t *testing.T) {
	var b bytes.Buffer
	p := view.NewProgress(&b, view.Style{Width: 80}, true)
	defer p.Close()
	for _, step := range []struct {
		e     apply.Event
		words string
	}{
		{apply.Event{Type: apply.StageStarted}, "note.boot"},
		{apply.Event{Type: apply.HostRebooting}, "the host reboots"},
		{apply.Event{Type: apply.HostBack, Message: "35s"}, "the host is back, looking again"},
	} {
		step.e.Host, step.e.Stage = "h1", "note.boot"
		p.Event(step.e)
		p.Say("here")
		lines := screen(t, b.String())
		last := lines[len(lines)-1]
		if lines[len(lines)-2] != "here" || !strings.Contains(last, "h1 note.boot") || !strings.Contains(last, step.words) {
			t.Errorf("the block is not one line with %q:\n%s", step.words, strings.Join(lines, "\n"))
		}
	}
}

// TestManyStages runs more stages than a terminal has rows, with wide letters.
func TestManyStages(t *testing.T) {
	var b bytes.Buffer
	p := view.NewProgress(&b, view.Style{Width: 40}, true)
	for i := range 100 {
		stage := "file.s" + strconv.Itoa(i)
		p.Event(apply.Event{Type: apply.StageStarted, Host: "h1", Stage: stage})
		p.Event(apply.Event{Type: apply.StageLog, Host: "h1", Stage: stage, Message: strings.Repeat("語", 40)})
	}
	p.Say("here")
	lines := screen(t, b.String())
	block := lines[slices.Index(lines, "here")+1:]
	if len(block) != 12 || !strings.HasSuffix(block[11], "and 89 more stages") {
		t.Errorf("the block has %d lines:\n%s", len(block), strings.Join(block, "\n"))
	}
	for _, line := range block {
		if n := len([]rune(line)) + strings.Count(line, "語"); n >= 40 {
			t.Errorf("%d columns: %q", n, line)
		}
	}
	p.Close()
	if lines := screen(t, b.String()); lines[len(lines)-1] != "here" {
		t.Errorf("the block was left behind: %q", lines[len(lines)-1])
	}
}

// screen plays text with the two sequences that the progress uses.
func screen(t *testing.T, text string) []string {
	t.Helper()
	var lines []string
	move := regexp.MustCompile(`^\x1b\[(\d+)A\r\x1b\[J`)
	for text != "" {
		if m := move.FindStringSubmatch(text); m != nil {
			n, _ := strconv.Atoi(m[1])
			lines, text = lines[:len(lines)-n], text[len(m[0]):]
			continue
		}
		line, rest, ok := strings.Cut(text, "\n")
		if !ok || strings.ContainsAny(line, "\x1b\r") {
			t.Fatalf("unexpected: %q", text)
		}
		lines, text = append(lines, line), rest
	}
	return lines
}

func TestOutcome(t *testing.T) {
	for want, s := range map[string]apply.Summary{
		"":                            {InSync: 5},
		"Applied: 3 done, 2 in sync.": {Done: 3, InSync: 2},
		"Applied: 3 done, 1 failed, 1 unknown, 2 skipped, 5 in sync; 1 host unreachable.": {Done: 3, InSync: 5, Failed: 1, Unknown: 1, Skipped: 2, Unreachable: 1},
		"Applied: 0 done, 0 in sync; 2 hosts unreachable.":                                {Unreachable: 2},
	} {
		if got := view.Outcome(s); got != want {
			t.Errorf("%+v: %q, want %q", s, got, want)
		}
	}
}
