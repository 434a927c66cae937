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
	r := New("k.n", "k", want, have, salt)
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
	if !r.Matches(want, have) || r.Matches(stage.Surface{"text": want["text"]}, have) {
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
			New(odd, "file", surface, surface, salt), New("file.y", "file", surface, surface, salt),
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
	r := New("command.x", "command", stage.Surface{"check": wish("a")}, have, salt)
	for of, want := range map[string]stage.Cause{"a": stage.CauseHost, "b": stage.CauseEdited} {
		if got := r.Cause("check", wish(of), stage.Is("fails")); got != want {
			t.Errorf("check %s: %s, want %s", of, got, want)
		}
		if got := r.Matches(stage.Surface{"check": wish(of)}, have); got != (of == "a") {
			t.Errorf("check %s: remembered already: %v", of, got)
		}
	}
}
