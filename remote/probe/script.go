package probe

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pdprov/pdprov/internal/posixsh"
	"github.com/pdprov/pdprov/stages/stage"
)

// prelude defines how a question is asked. See docs/decisions/0001.
//
// p NUMBER SECONDS BYTES SCRIPT ARG... runs one question. Its output goes through a
// pipe into base64 and a variable; its status and the tail of its stderr come apart.
// What is known is then written in lines below PIPE_BUF, each in one piece, so that
// questions that run side by side share one output. A "#" ends the answer. The "+"
// before the output says that the script really began, the "." behind it that nothing
// of it was lost: a tool of this plumbing that is broken cannot pass for an answer.
// "Cj0w" is base64 of Z: nothing on stderr and status 0, which needs no process.
const prelude = `exec 6>&1
Z='
=0'
p() {
  n=$1 t=$2 c=$3 s=$4
  shift 4
  b=$(
    {
      e=$(
        {
          timeout -k 1 "$t" /bin/sh -c "printf +
$s" probe "$@" </dev/null 2>&1 >&5 5>&- 6>&-
          printf '\n=%s' "$?"
        } | tail -c 2000
      )
      if [ "$e" = "$Z" ]; then
        printf '%s\n' "$N $n eCj0w" >&6
      else
        for l in $(printf %s "$e" | base64 -w 3000); do printf '%s\n' "$N $n e$l" >&6; done
      fi
      printf .
    } 5>&1 | head -c "$c" | base64 -w 3000
  )
  for l in $b; do printf '%s\n' "$N $n o$l"; done
  printf '%s\n' "$N $n #"
}
`

// limits of one command line on Linux, with room to spare.
const (
	maxWord  = 100 << 10
	maxWords = 1 << 20
)

// question is one process of a look: the probes that share it.
type question struct {
	script   string
	args     []string
	timeout  int // seconds
	maxBytes int
	quick    bool
	ids      []string
	probes   []stage.Probe
	members  []question // of a group; it has no ids itself
}

const (
	defaultTimeout  = 10
	defaultMaxBytes = 256 << 10
)

// questions puts mergeable probes of one script into one process, in order.
func questions(probes []stage.Probe) []question {
	var qs []question
	asked := map[string]bool{}
	merged := map[string]int{} // script -> index of the question that takes more
	for _, p := range probes {
		if asked[p.ID] {
			continue
		}
		asked[p.ID] = true
		if i, ok := merged[p.Script]; p.Merge && ok && len(p.Env) == 0 && qs[i].takes(p) {
			qs[i].add(p)
			continue
		}
		q := question{script: p.Script, quick: (p.Merge || p.Quick) && len(p.Env) == 0}
		q.add(p)
		if p.Merge && len(p.Env) == 0 {
			merged[p.Script] = len(qs)
		}
		qs = append(qs, q)
	}
	return qs
}

func (q *question) takes(p stage.Probe) bool { return size(q.args)+size(p.Args) < maxWords }

func (q *question) add(p stage.Probe) {
	q.args = append(q.args, p.Args...)
	q.ids = append(q.ids, p.ID)
	q.probes = append(q.probes, p)
	q.timeout = max(q.timeout, orElse(p.TimeoutSeconds, defaultTimeout))
	// Each member brings its own share, so that many small answers fit.
	q.maxBytes += orElse(p.MaxBytes, defaultMaxBytes)
}

func orElse(n, standard int) int {
	if n > 0 {
		return n
	}
	return standard
}

func size(words []string) (n int) {
	for _, w := range words {
		n += len(w) + 1
	}
	return n
}

// tooLong says why a question cannot be put on a command line, "" when it can.
func (q question) tooLong() string {
	for _, w := range append([]string{q.script}, q.args...) {
		if len(w) > maxWord {
			return fmt.Sprintf("the question is too long to ask: one word of %d bytes", len(w))
		}
	}
	return ""
}

// exports gives a question its environment, in its own subshell and never in an argument.
func exports(env map[string]string) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(env)) {
		fmt.Fprintf(&b, "export %s=%s; ", name, posixsh.Quote(env[name]))
	}
	return b.String()
}

// batch is the text of one look. The main shell starts the questions and waits for
// the end of its input, which the controller brings when all answers are there; when
// the controller is gone, timeout does. Not wait: a process stuck in the kernel would
// hold every other answer.
func batch(qs []question, nonce string, deadline int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "N=%s\n%sk=\n", nonce, prelude)
	for i, q := range qs {
		var env map[string]string
		if len(q.probes) == 1 {
			env = q.probes[0].Env
		}
		fmt.Fprintf(&b, "{ %sp %d %d %d %s; } &\nk=\"$k $!\"\n", exports(env), i, q.timeout, q.maxBytes+3,
			posixsh.Words(append([]string{q.script}, q.args...)...))
	}
	fmt.Fprintf(&b, "timeout %d cat >/dev/null\n", deadline+10)
	b.WriteString("for i in $k; do kill -9 \"$i\" 2>/dev/null; done\nexit 0\n")
	return b.String()
}
