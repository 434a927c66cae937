package view

import (
	"strings"

	"github.com/pdprov/pdprov/stages/stage"
)

const changeIndent = "      "

// change shows one path: old -> new on a line where that fits, else line by line.
func (o *output) change(c stage.Change, s Style) {
	path, why := Escape(c.Path), s.paint(dim, "("+cause(c)+")")
	was, wanted := value(c.Old), value(c.New)
	line := path + ": " + was + " -> " + wanted + "   (" + cause(c) + ")"
	long := s.Width > 0 && width(changeIndent+line) > s.Width
	if !multiline(c.Old) && !multiline(c.New) && !long {
		o.line(changeIndent, path, ": ", was, " -> ", wanted, "   ", why)
		return
	}
	o.line(changeIndent, path, ":   ", why)
	if multiline(c.Old) || multiline(c.New) {
		o.lines(c, s)
		return
	}
	o.side('-', was, s)
	o.side('+', wanted, s)
}

func multiline(v stage.Value) bool {
	return v.State == stage.Present && !v.Secret && strings.Contains(v.Text, "\n")
}

// lines shows a change of a text with several lines as a small diff. A side that is
// absent has no lines.
func (o *output) lines(c stage.Change, s Style) {
	was, isText := shownText(c.Old)
	if !isText && c.Old.State != stage.None {
		o.side('-', value(c.Old), s)
	}
	wanted, isText := shownText(c.New)
	all := diff(was, wanted)
	for i, l := range all {
		if i == maxShown {
			o.line(changeIndent, "  ", s.paint(dim, "... "+count(len(all)-i, "more line")+", all of them with --json"))
			break
		}
		o.diffLine(l, s)
	}
	if !isText && c.New.State != stage.None {
		o.side('+', value(c.New), s)
	}
}

// shownText is the text of a value where it has one that may be shown.
func shownText(v stage.Value) (string, bool) {
	if v.State != stage.Present || v.Secret {
		return "", false
	}
	return v.Text, true
}

func (o *output) diffLine(l diffLine, s Style) {
	if l.sign == 0 {
		o.line(changeIndent, "  ", s.paint(dim, "..."))
		return
	}
	text := contentLine(l.text)
	if l.open {
		text += "   (no line end)"
	}
	o.side(l.sign, text, s)
}

func (o *output) side(sign byte, text string, s Style) {
	code := map[byte]string{'-': red, '+': green}[sign]
	if code == "" {
		o.line(changeIndent, "    ", text)
		return
	}
	o.line(changeIndent, "  ", s.paint(code, string(sign)+" "+text))
}

// cause says in words where a change comes from, and who or what made it.
func cause(c stage.Change) string {
	words := map[stage.Cause]string{
		stage.CauseNew:     "new",
		stage.CauseEdited:  "edited in the plan",
		stage.CauseHost:    "changed on the host",
		stage.CauseBoth:    "both edited in the plan and changed on the host",
		stage.CauseOrphan:  "in no plan file",
		stage.CauseUnknown: "cause unknown",
	}[c.Cause]
	if c.By != "" {
		words += ", " + Escape(c.By)
	}
	return words
}
