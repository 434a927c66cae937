package probe

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pdprov/pdprov/internal/posixsh"
	"github.com/pdprov/pdprov/stages/stage"
)

// plumbing runs one script; its words are the bytes kept, the script and its arguments.
// It prints the body in base64 and then, behind "-", the tail of stderr with the status.
// The "+" before the body says that the script really began, the "." behind it that
// nothing of it was lost: a tool of this plumbing that is broken cannot pass for an
// answer. "Cj0w" is base64 of Z: nothing on stderr and status 0, which needs no process.
const plumbing = `c=$1 s=$2
shift 2
exec 6>&1
Z="
=0"
e=$(
  {
    {
      /bin/sh -c "printf +
$s" probe "$@" </dev/null 2>&7 6>&- 7>&-
      printf "\n=%s" "$?" >&7
      printf .
    } | head -c "$c" | base64 -w 3000 >&6
  } 7>&1 | tail -c 2000
)
[ "$e" = "$Z" ] || { printf -; printf %s "$e" | base64 -w 3000; exit; }
echo -Cj0w`

// prelude defines how a question is asked. See docs/decisions/0001.
//
// p NUMBER SECONDS BYTES SCRIPT ARG... runs the plumbing P in a process group of its own,
// which timeout ends as a whole; what a script leaves behind is ended, too. P does not
// know the nonce and holds no output of the session. What it printed is then written in
// lines below PIPE_BUF, each in one piece, so that questions that run side by side share
// one output. "#" with the status of timeout ends the answer; it comes also when a
// process is stuck in the kernel and cannot be killed.
const prelude = `for i in timeout head tail base64; do
  command -v $i >/dev/null || { echo "$i is not on this host" >&2; exit 127; }
done
p() {
  n=$1 t=$2
  shift 2
  b=$(
    timeout -s KILL "$t" /bin/sh -c "$P" probe "$@" </dev/null &
    wait $! 2>/dev/null
    r=$?
    kill -9 "-$!" 2>/dev/null
    printf '\n#%s' "$r"
  )
  for l in $b; do printf '%s\n' "$N $n $l"; done
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

// kept is how much of a body with its two marks is kept: one byte more than may be.
func (q question) kept() int { return q.maxBytes + 3 }

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
// the controller is gone, timeout does. Not wait: one question that hangs would hold
// the session.
func batch(qs []question, nonce string, deadline int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "N=%s\nP=%s\n%sk=\n", nonce, posixsh.Quote(plumbing), prelude)
	for i, q := range qs {
		var env map[string]string
		if len(q.probes) == 1 {
			env = q.probes[0].Env
		}
		fmt.Fprintf(&b, "{ %sp %d %d %d %s; } &\nk=\"$k $!\"\n", exports(env), i, q.timeout, q.kept(),
			posixsh.Words(append([]string{q.script}, q.args...)...))
	}
	fmt.Fprintf(&b, "timeout %d /bin/sh -c 'read -r _'\n", deadline+10)
	b.WriteString("for i in $k; do kill -9 \"$i\" 2>/dev/null; done\nexit 0\n")
	return b.String()
}
