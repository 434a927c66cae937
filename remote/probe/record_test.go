package probe_test

import (
	"os"
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
	for range 2 { // the second time replaces the first
		if err := probe.Record(dir, "../odd host", facts); err != nil {
			t.Fatal(err)
		}
	}
	got, err := probe.Replay(dir, "../odd host")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(facts, got); d != "" {
		t.Error(d)
	}
	entries, _ := os.ReadDir(dir)
	if len(entries) != 1 {
		t.Errorf("left over: %v", entries)
	}
	if _, err := probe.Replay(dir, "other"); !os.IsNotExist(err) {
		t.Errorf("a host that was not recorded: %v", err)
	}
}
