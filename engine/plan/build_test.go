package plan_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdprov/pdprov/engine/manifest"
	"github.com/pdprov/pdprov/engine/plan"
	"github.com/pdprov/pdprov/hcl/model"
	"github.com/pdprov/pdprov/stages/stage"
)

// line renders an entry in one line for comparison.
func line(e plan.Entry) string {
	var parts []string
	for _, c := range e.Changes {
		parts = append(parts, fmt.Sprintf("%s %s->%s %s", c.Path, c.Old, c.New, c.Cause))
	}
	for _, ev := range e.Evidence {
		parts = append(parts, "evidence "+ev.Detail)
	}
	s := fmt.Sprintf("%s/%s %s %s %s", e.Host, e.Stage, e.Action, e.Certainty, e.Impact)
	if len(e.Needs) > 0 {
		s += " needs " + strings.Join(e.Needs, ",")
	}
	if len(e.After) > 0 {
		s += " after " + strings.Join(e.After, ",")
	}
	if len(e.Elsewhere) > 0 {
		s += " elsewhere " + strings.Join(e.Elsewhere, ",")
	}
	if len(e.BlockedBy) > 0 {
		s += " blocked by " + strings.Join(e.BlockedBy, ",")
	}
	return strings.TrimSpace(s + " | " + strings.Join(parts, "; "))
}

func TestBuild(t *testing.T) {
	tests := []struct {
		name   string
		stages []model.Stage
		seen   plan.Seen
		want   []string
	}{
		{"in sync", []model.Stage{st("a")}, seen("a=want"), []string{
			"h1/note.a none certain none |",
		}},
		{"bare", []model.Stage{st("a")}, seen("a-"), []string{
			"h1/note.a create certain none | text (absent)->want new",
		}},
		{"other value", []model.Stage{st("a", "restart")}, seen("a=old"), []string{
			"h1/note.a update certain restart | text old->want new",
		}},
		{"could not look is never absent", []model.Stage{st("a"), st("b"), st("c")}, seen("a!", "b?"), []string{
			"h1/note.a blocked certain none | evidence text: exit 1",
			"h1/note.b blocked certain none | evidence text: no answer within 10 s",
			"h1/note.c blocked certain none | evidence text: not asked",
		}},
		{"a secret is not shown, on neither side", []model.Stage{st("a", "secret")}, seen("a=old"), []string{
			"h1/note.a update certain none | text (sensitive)->(sensitive) new",
		}},
		{"order follows references, declaration else", []model.Stage{st("b", "refs=note.a"), st("a"), st("c")}, seen("a-", "b=want", "c=want"), []string{
			"h1/note.a create certain none | text (absent)->want new",
			"h1/note.b none certain none needs note.a |",
			"h1/note.c none certain none |",
		}},
		{"an earlier write makes an answer stale", []model.Stage{st("dir", "path=/etc"), st("f", "path=/etc/x"), st("g", "path=/etcetera")}, seen("dir-", "f-", "g-"), []string{
			"h1/note.dir create certain none | text (absent)->want new",
			"h1/note.f create predicted none after note.dir | text (absent)->want new",
			"h1/note.g create certain none | text (absent)->want new",
		}},
		{"a wish that waits", []model.Stage{st("a"), st("b", "after=note.a", "refs=note.a")}, seen("a-", "b=x"), []string{
			"h1/note.a create certain none | text (absent)->want new",
			"h1/note.b update deferred none needs note.a | text x->(known after note.a) new",
		}},
		{"a dependency on another host", []model.Stage{st("a", "hosts=h2"), st("b", "refs=note.a")}, seen("b=want"), []string{
			"h1/note.b none certain none elsewhere h2/note.a |",
		}},
		{"ignored paths", []model.Stage{st("a", "ignore=text"), st("b", "ignore=te*")}, seen("a=old", "b!"), []string{
			"h1/note.a none certain none |", "h1/note.b none certain none |",
		}},
		{"a finding blocks", []model.Stage{st("a", "wrong"), st("b")}, seen("a-", "b-"), []string{
			"h1/note.a blocked certain none | evidence Wrong. It cannot work.",
			"h1/note.b create certain none | text (absent)->want new",
		}},
		{"what needs a blocked stage, near or far, says so", []model.Stage{
			st("a", "wrong"), st("b", "refs=note.a"), st("c", "refs=note.b"), st("d", "refs=note.c", "wrong"), st("e", "refs=note.a"),
		}, seen("a-", "b=want", "c-", "d-", "e!"), []string{
			"h1/note.a blocked certain none | evidence Wrong. It cannot work.",
			"h1/note.b none certain none needs note.a |",
			"h1/note.c create certain none needs note.b blocked by note.a | text (absent)->want new",
			"h1/note.d blocked certain none needs note.c | evidence Wrong. It cannot work.",
			"h1/note.e blocked certain none needs note.a | evidence text: exit 1",
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := deployment(tt.stages...)
			p, _ := plan.Build(d, kinds, map[string]plan.Seen{"h1": tt.seen}, plan.Options{Hosts: []string{"h1"}})
			var got []string
			for _, e := range p.Entries {
				got = append(got, line(e))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestHostsThatDoNotAnswer(t *testing.T) {
	p, _ := plan.Build(deployment(st("a", "hosts=h1,h2")), kinds, map[string]plan.Seen{
		"h1": {State: plan.HostUnreachable, Error: "h1: connection refused"},
	}, plan.Options{})
	if len(p.Entries) != 0 || p.Summary.Unreachable != 2 {
		t.Errorf("entries %v, summary %+v: a host without a look has no entries and is counted", p.Entries, p.Summary)
	}
	if p.Hosts[1].State != plan.HostUnknown {
		t.Errorf("a host that was not seen is %q, want unknown", p.Hosts[1].State)
	}
}

func TestTargetsBringTheirDependencies(t *testing.T) {
	p, _ := plan.Build(deployment(st("a"), st("b", "refs=note.a"), st("c")), kinds,
		map[string]plan.Seen{"h1": seen("a-", "b-", "c-")}, plan.Options{Hosts: []string{"h1"}, Targets: []string{"note.b"}})
	if len(p.Entries) != 2 || p.Entries[0].Stage != "note.a" || p.Entries[1].Stage != "note.b" {
		t.Errorf("got %v", p.Entries)
	}
}

func TestCauses(t *testing.T) {
	record := func(text string) map[string]manifest.Record {
		r := manifest.New("note.a", "note", "another text", stage.Surface{"text": stage.Is(text)}, stage.Surface{"text": stage.Is(text)}, []byte("0123456789abcdef"))
		return map[string]manifest.Record{"note.a": r}
	}
	for _, tt := range []struct {
		last, have string
		want       stage.Cause
	}{
		{"want", "old", stage.CauseHost}, {"old", "old", stage.CauseEdited}, {"other", "old", stage.CauseBoth},
	} {
		s := seen("a=" + tt.have)
		s.Records = record(tt.last)
		p, _ := plan.Build(deployment(st("a")), kinds, map[string]plan.Seen{"h1": s}, plan.Options{Hosts: []string{"h1"}})
		if got := p.Entries[0].Changes[0].Cause; got != tt.want {
			t.Errorf("last %q, have %q: cause %q, want %q", tt.last, tt.have, got, tt.want)
		}
	}
}

func TestOrphansChangeNothing(t *testing.T) {
	s := seen("a=want")
	s.Records = map[string]manifest.Record{"note.gone": manifest.New("note.gone", "note", "", stage.Surface{"text": stage.Is("x")}, stage.Surface{"text": stage.Is("x")}, nil)}
	p, _ := plan.Build(deployment(st("a")), kinds, map[string]plan.Seen{"h1": s}, plan.Options{Hosts: []string{"h1"}})
	if len(p.Entries) != 2 || !p.Entries[1].Orphan() || p.Entries[1].Action != plan.None {
		t.Fatalf("got %+v", p.Entries)
	}
	if p.Summary != (plan.Summary{InSync: 1}) {
		t.Errorf("summary %+v: an orphan counts as nothing", p.Summary)
	}
}

func TestSameInputSameBytes(t *testing.T) {
	build := func() string {
		p, _ := plan.Build(deployment(st("a"), st("b", "refs=note.a"), st("c", "wrong")), kinds,
			map[string]plan.Seen{"h1": seen("a-", "b=1", "c?")}, plan.Options{})
		out, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	first := build()
	for range 20 {
		if again := build(); again != first {
			t.Fatalf("two plans of the same input differ:\n%s\n%s", first, again)
		}
	}
}

func TestSavedPlanTellsWhatChanged(t *testing.T) {
	build := func(text string, words ...string) *plan.Plan {
		p, _ := plan.Build(deployment(st("a", append(words, "text="+text)...)), kinds, map[string]plan.Seen{"h1": seen("a-")}, plan.Options{})
		return p
	}
	salt := []byte("0123456789abcdef")
	file, err := plan.Save(build("one"), plan.Source{}, salt)
	if err != nil {
		t.Fatal(err)
	}
	saved, err := plan.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := saved.Differences(build("one")); len(d) != 0 {
		t.Errorf("the same plan differs: %v", d)
	}
	if d := saved.Differences(build("two")); len(d) != 1 || !strings.Contains(d[0], `"two"`) {
		t.Errorf("another plan: %v", d)
	}
	file, _ = plan.Save(build("hunter2", "secret"), plan.Source{}, salt)
	if strings.Contains(string(file), "hunter2") {
		t.Errorf("the saved plan holds the secret:\n%s", file)
	}
	saved, _ = plan.Load(file)
	if d := saved.Differences(build("hunter3", "secret")); len(d) != 1 {
		t.Errorf("another secret: %v", d)
	}
}

func TestExceeds(t *testing.T) {
	entry := func(have string, words ...string) plan.Entry {
		p, _ := plan.Build(deployment(st("a", words...)), kinds, map[string]plan.Seen{"h1": seen(have)}, plan.Options{Hosts: []string{"h1"}})
		return p.Entries[0]
	}
	restart, calm, fresh := entry("a=old", "restart"), entry("a=old"), entry("a-")
	if !restart.Exceeds(calm) || restart.Exceeds(restart) || calm.Exceeds(restart) {
		t.Error("a restart exceeds what shows none, and nothing else")
	}
	if restart.Exceeds(fresh) {
		t.Error("what the plan creates has no users that a restart could hit")
	}
	if reboot := entry("a=old", "reboot"); !reboot.Exceeds(fresh) || !reboot.Exceeds(restart) || reboot.Exceeds(entry("a-", "reboot")) {
		t.Error("a reboot that was not shown hits all that is on the host")
	}
}
