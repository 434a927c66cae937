package unit

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

const blank = " \t\n\r"

// lineEnds are what systemd takes for the end of a line.
var lineEnds = strings.NewReplacer("\r\n", "\n", "\n\r", "\n", "\r", "\n", "\x00", "\n")

// Parse reads a unit file by systemd's own rules (config_parse of version 252). What
// systemd would ignore is left out of the File and told as a Problem.
func Parse(text string) (File, []Problem) {
	var p parser
	var pending strings.Builder // the continued lines before this one
	first := 0
	lines := strings.Split(lineEnds.Replace(strings.TrimPrefix(text, "\ufeff")), "\n")
	for i, line := range lines {
		line = strings.TrimLeft(line, blank)
		if line != "" && strings.ContainsRune("#;", rune(line[0])) {
			continue // also between two continued lines
		}
		if first == 0 {
			first = i + 1
		}
		if continues(line) {
			pending.WriteString(line[:len(line)-1] + " ")
			continue
		}
		p.statement(first, pending.String()+line)
		pending.Reset()
		first = 0
	}
	if pending.Len() > 0 {
		p.problem(first, "The last line ends with a backslash, so nothing follows that it could go on with.")
		p.statement(first, pending.String())
	}
	return p.file, p.problems
}

// continues says whether a line ends with a backslash that no other one escapes.
func continues(line string) bool {
	return (len(line)-len(strings.TrimRight(line, `\`)))%2 == 1
}

type parser struct {
	file     File
	problems []Problem
	ignored  bool // the section has no usable header
}

func (p *parser) problem(line int, format string, args ...any) {
	p.problems = append(p.problems, Problem{Line: line, Text: fmt.Sprintf(format, args...)})
}

// statement reads one line, continued lines joined.
func (p *parser) statement(n int, line string) {
	line = strings.Trim(line, blank)
	switch {
	case line == "":
	case !utf8.ValidString(line):
		p.problem(n, "The line is not UTF-8; systemd ignores it.")
	case line[0] == '[':
		p.header(n, line)
	default:
		p.assignment(n, line)
	}
}

func (p *parser) header(n int, line string) {
	p.ignored = !strings.HasSuffix(line, "]") || len(line) < 3
	if p.ignored {
		p.problem(n, "%.80q is no [Section]; systemd refuses the file.", line)
		p.problems[len(p.problems)-1].Refused = true
		return
	}
	p.file.Sections = append(p.file.Sections, Section{Name: line[1 : len(line)-1], Line: n})
}

func (p *parser) assignment(n int, line string) {
	key, value, ok := strings.Cut(line, "=")
	key, value = strings.Trim(key, blank), strings.Trim(value, blank)
	switch {
	case !ok:
		p.problem(n, "%.80q is neither a [Section] nor Key=Value; systemd ignores it.", line)
	case key == "":
		p.problem(n, "There is no key before \"=\"; systemd ignores the line.")
	case len(p.file.Sections) == 0 && !p.ignored:
		p.problem(n, "%s= stands before the first [Section]; systemd ignores it.", key)
	case !p.ignored:
		last := &p.file.Sections[len(p.file.Sections)-1]
		last.Entries = append(last.Entries, Entry{key, value, n})
	}
	if continues(value) {
		p.problem(n, "There is white space behind the backslash at the end of the line, so the next line does not belong to it.")
	}
}
