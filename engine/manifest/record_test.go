package manifest

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/pdprov/pdprov/remote"
	"github.com/pdprov/pdprov/remote/local"
	"github.com/pdprov/pdprov/remote/probe"
	"github.com/pdprov/pdprov/stages/stage"
)

var salt = []byte("0123456789abcdef")

func TestFulfils(t *testing.T) {
	want := stage.Surface{"text": stage.Is("a"), "none": stage.Nothing(), "any": stage.SomeValue(), "secret": stage.IsSecret("s")}
	have := stage.Surface{"text": stage.Is("a"), "none": stage.Nothing(), "any": stage.Is("1.2"), "secret": stage.IsSecret("s")}
	r := New("k.n", "k", "asked", want, have, salt)
	for path := range want {
		if !r.Fulfils(path, want[path]) || !r.Fulfils(path, have[path]) {
			t.Errorf("%s: what was applied does not fulfil itself", path)
		}
		for _, other := range []stage.Value{stage.Is("b"), stage.IsSecret("t"), {}} {
			if r.Fulfils(path, other) {
				t.Errorf("%s: fulfilled by %+v", path, other)
			}
		}
	}
	if r.Fulfils("any", stage.Nothing()) || r.Fulfils("none", stage.SomeValue()) || r.Fulfils("new", stage.Nothing()) {
		t.Error("there and not there are told apart")
	}
	if strings.Contains(string(r.encode()), `"s"`) {
		t.Error("the record holds the secret")
	}
	if !r.Matches("asked", want, have) || r.Matches("asked", stage.Surface{"text": want["text"]}, have) || r.Matches("other", want, have) {
		t.Error("Matches compares the same paths")
	}
}

// here is this machine with the memory in a folder of the test.
type here struct {
	remote.Host
	dir string
}

func (h here) Run(ctx context.Context, c remote.Command) (remote.Result, error) {
	c.Script = strings.ReplaceAll(c.Script, "/var/lib/pdprov", h.dir)
	return h.Host.Run(ctx, c)
}

func read(t *testing.T, h remote.Host) (map[string]Record, string) {
	t.Helper()
	facts, err := probe.Look(context.Background(), h, []stage.Probe{Probe()}, probe.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if a := facts.Get(Probe().ID); !a.Looked() {
		t.Fatalf("%+v", a)
	}
	return Parse(facts)
}

func TestWriteAndRead(t *testing.T) {
	local, err := local.New("here", false)
	if err != nil {
		t.Fatal(err)
	}
	h := here{local, t.TempDir() + "/pdprov"}
	if records, trouble := read(t, h); len(records) != 0 || trouble != "" {
		t.Errorf("an empty memory: %v %s", records, trouble)
	}
	odd := `file.x["a'b\"$(id)\n"at":"" ü"]`
	for _, text := range []string{"first", "second \"at\":\"\" % \\ \n"} {
		surface := stage.Surface{"content": stage.Is(text)}
		err := Write(context.Background(), h, []Record{
			New(odd, "file", "", surface, surface, salt), New("file.y", "file", "", surface, surface, salt),
		})
		if err != nil {
			t.Fatal(err)
		}
		records, trouble := read(t, h)
		if r := records[odd]; len(records) != 2 || trouble != "" || !r.Fulfils("content", stage.Is(text)) || r.At == "" {
			t.Errorf("%q: %s, %+v", text, trouble, records)
		}
	}
	history, err := os.ReadFile(h.dir + "/history.jsonl")
	if err != nil || strings.Count(string(history), "\n") != 4 {
		t.Errorf("history: %v\n%s", err, history)
	}
	files, _ := os.ReadDir(h.dir + "/manifest")
	if err := os.WriteFile(h.dir+"/manifest/"+files[0].Name(), []byte("{\x00garbage\n"), 0o600); err != nil || len(files) != 2 {
		t.Fatalf("%v %v", err, files)
	}
	if records, trouble := read(t, h); len(records) != 1 || !strings.HasPrefix(trouble, "1 records") {
		t.Errorf("one damaged record: %d read, %s", len(records), trouble)
	}
	if _, trouble := Parse(stage.Facts{probeID: {Outcome: stage.Answered}}); trouble == "" {
		t.Error("nothing was said, and nothing is missed")
	}
	if _, trouble := Parse(stage.Facts{probeID: {Outcome: stage.Failed, Detail: "why"}}); !strings.Contains(trouble, "why") {
		t.Errorf("an answer that failed: %q", trouble)
	}
}

// TestAnotherQuestion: "passes" of another check is another wish.
func TestAnotherQuestion(t *testing.T) {
	wish := func(of string) stage.Value { return stage.Value{State: stage.Present, Text: "passes", Of: of} }
	have := stage.Surface{"check": stage.Is("passes")}
	r := New("command.x", "command", "a", stage.Surface{"check": wish("a")}, have, salt)
	for of, want := range map[string]stage.Cause{"a": stage.CauseHost, "b": stage.CauseEdited} {
		if got := r.Cause("check", wish(of), stage.Is("fails"), of); got != want {
			t.Errorf("check %s: %s, want %s", of, got, want)
		}
		if got := r.Matches("a", stage.Surface{"check": wish(of)}, have); got != (of == "a") {
			t.Errorf("check %s: remembered already: %v", of, got)
		}
	}
}

// TestCauses: an edit is named only where the plan says something else than before, and
// never for what no plan can say.
func TestCauses(t *testing.T) {
	was := stage.Surface{"p": stage.Is("was")}
	r := New("k.n", "k", "before", was, was, salt)
	found := func(text string) stage.Value { return stage.Value{State: stage.Present, Text: text, FromHost: true} }
	for _, test := range []struct {
		name, path, asked string
		want, have        stage.Value
		cause             stage.Cause
	}{
		{"edited", "p", "after", stage.Is("new"), stage.Is("was"), stage.CauseEdited},
		{"edited, and changed on the host", "p", "after", stage.Is("new"), stage.Is("odd"), stage.CauseBoth},
		{"changed on the host", "p", "before", stage.Is("was"), stage.Is("odd"), stage.CauseHost},
		{"changed on the host, edited elsewhere", "p", "after", stage.Is("was"), stage.Is("odd"), stage.CauseHost},
		{"the host moved wish and sight", "p", "before", stage.Is("new"), stage.Is("odd"), stage.CauseHost},
		{"the host moved the wish", "p", "before", found("new"), stage.Is("was"), stage.CauseHost},
		{"the host moved the wish, edited elsewhere", "p", "after", found("new"), stage.Is("was"), stage.CauseUnknown},
		{"the host moved both, edited elsewhere", "p", "after", found("new"), stage.Is("odd"), stage.CauseBoth},
		{"another pdprov wants something else", "p", "before", stage.Is("new"), stage.Is("was"), stage.CauseUnknown},
		{"another pdprov looks at more", "q", "before", stage.Is("new"), stage.Nothing(), stage.CauseUnknown},
		{"an attribute more", "q", "after", stage.Is("new"), stage.Nothing(), stage.CauseEdited},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := r.Cause(test.path, test.want, test.have, test.asked); got != test.cause {
				t.Errorf("%s, want %s", got, test.cause)
			}
		})
	}
}
