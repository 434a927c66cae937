package probe

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/pdprov/pdprov/internal/posixsh"
	"github.com/pdprov/pdprov/stages/stage"
)

// lanes is how many processes the quick questions of a look share: enough to use the
// host's processors, few enough that starting processes is not most of the work.
const lanes = 4

// group lets quick questions share processes, which run them one after the other. sep
// marks the end of each with its status; it is random, so that no answer can hold it.
func group(qs []question, sep string) (groups []question) {
	var shared [lanes]question
	n := 0
	for _, q := range qs {
		lane := &shared[n%lanes]
		if !q.quick || size([]string{lane.script})+q.size() > maxWord {
			groups = append(groups, q)
			continue
		}
		lane.script += fmt.Sprintf("(\nset -- %s\n%s\n)\nprintf '\\n%%s %%s\\n' %s \"$?\"\n", posixsh.Words(q.args...), q.script, sep)
		lane.timeout = max(lane.timeout, q.timeout)
		lane.maxBytes += q.maxBytes + len(sep) + 8
		lane.members = append(lane.members, q)
		n++
	}
	for _, lane := range shared {
		switch len(lane.members) {
		case 0:
		case 1:
			groups = append(groups, lane.members[0])
		default:
			groups = append(groups, lane)
		}
	}
	return groups
}

// size is what a question takes in the text of a group, quotes included.
func (q question) size() int { return len(posixsh.Words(q.args...)) + len(q.script) + 200 }

// ungroup gives each member of a group its part of the answer. A member whose part
// does not say that it looked is left for a second asking, on its own.
func ungroup(g question, a stage.Answer, sep string) []stage.Answer {
	answers := make([]stage.Answer, len(g.members))
	body := a.Body
	for i := range g.members {
		answers[i] = failed(a.Exit, "not asked on its own yet")
		if a.Outcome != stage.Answered {
			continue
		}
		mark := []byte("\n" + sep + " ")
		at := bytes.Index(body, mark)
		if at < 0 {
			continue
		}
		part, rest := body[:at], body[at+len(mark):]
		status, rest, ok := bytes.Cut(rest, []byte("\n"))
		exit, err := strconv.Atoi(strings.TrimSpace(string(status)))
		if !ok || err != nil {
			continue
		}
		body = rest
		switch {
		case len(part) > g.members[i].maxBytes:
		case exit == 0:
			answers[i] = stage.Answer{Outcome: stage.Answered, Body: part}
		case exit == stage.AbsentExit:
			answers[i] = stage.Answer{Outcome: stage.Absent, Exit: exit, Body: part}
		}
	}
	return answers
}
