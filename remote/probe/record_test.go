package probe_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdprov/pdprov/remote/probe"
	"github.com/pdprov/pdprov/stages/stage"
)

func TestReplayGivesWhatWasRecorded(t *testing.T) {
	dir := t.TempDir()
	facts := stage.Facts{
		"text":          {Outcome: stage.Answered, Body: []byte("a\x00b\n")},
		"empty":         {Outcome: stage.Answered},
		"odd /..\nname": {Outcome: stage.Absent, Exit: 66},
		"failed":        {Outcome: stage.Failed, Exit: 3, Detail: "why"},
		"hung":          {Outcome: stage.Hung, Detail: "no answer"},
	}
	hosts := []string{"gpu1", "../odd host", "..", ".", ".recording-x", "ü", "a%2Fb"}
	for _, host := range append(hosts, hosts...) { // the second time replaces the first
		if err := probe.Record(dir, host, facts); err != nil {
			t.Fatal(err)
		}
	}
	for _, host := range hosts {
		got, err := probe.Replay(dir, host)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(facts, got); d != "" {
			t.Errorf("%s: %s", host, d)
		}
	}
	entries, _ := os.ReadDir(dir)
	if len(entries) != len(hosts) {
		t.Errorf("not one folder for each host: %v", entries)
	}
	if _, err := probe.Replay(dir, "other"); !os.IsNotExist(err) {
		t.Errorf("a host that was not recorded: %v", err)
	}
}

// TestARecordingThatIsNotWhole is an error, never fewer facts.
func TestARecordingThatIsNotWhole(t *testing.T) {
	facts := stage.Facts{"a": {Outcome: stage.Answered, Body: []byte("a")}, "b": {Outcome: stage.Absent, Exit: 66}}
	for _, missing := range []string{"index.json", "000-a"} {
		dir := t.TempDir()
		if err := probe.Record(dir, "h", facts); err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(filepath.Join(dir, "h", missing)); err != nil {
			t.Fatal(err)
		}
		if got, err := probe.Replay(dir, "h"); err == nil {
			t.Errorf("without %s: %v", missing, got)
		}
	}
}

// TestOneRecordingIsLikeAnother: the same facts give the same bytes, readable by their
// owner alone.
func TestOneRecordingIsLikeAnother(t *testing.T) {
	facts := stage.Facts{}
	for i := range 50 {
		facts[fmt.Sprint("probe ", i)] = stage.Answer{Outcome: stage.Answered, Body: fmt.Append(nil, i)}
	}
	dir := t.TempDir()
	for _, host := range []string{"a", "b"} {
		if err := probe.Record(dir, host, facts); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := exec.Command("diff", "-r", dir+"/a", dir+"/b").CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	if out, err := exec.Command("find", dir+"/a", "-perm", "/077").CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("others may read: %v\n%s", err, out)
	}
}
