package driver

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pdprov/pdprov/stages/stage"
)

// TestLocksOfOthers: what names the version of the plan stays, what is in its way is
// refused unless pdprov set it.
func TestLocksOfOthers(t *testing.T) {
	answer := func(name, text string) stage.Answer {
		return stage.Answer{Outcome: stage.Answered, Body: fmt.Appendf(nil, "plugin 0:\n%s %d:%s\nend 0:\n", name, len(text), text)}
	}
	ours := func(text string) stage.Answer {
		return stage.Answer{Outcome: stage.Answered, Body: fmt.Appendf(nil, "driver-holds %d:%s\nend 0:\n", len(text), text)}
	}
	nothing := stage.Answer{Outcome: stage.Absent}
	for name, c := range map[string]struct {
		locks   string
		record  stage.Answer
		wish    wish
		kept    string
		refused bool
		unsure  bool
	}{
		"the plan's version": {"nvidia-driver-cuda-3:580.95.05-1.el9.*\n", nothing, wish{version: "580.95.05"}, "nvidia-driver-cuda", false, false},
		"another version":    {"nvidia-driver-cuda-3:580.95.05-1.el9.*\n", nothing, wish{version: "580.126.09"}, "", true, false},
		"another, ours":      {"nvidia-driver-cuda-3:580.95.05-1.el9.*\n", ours("nvidia-driver-cuda\n"), wish{version: "580.126.09"}, "", false, false},
		"another, whose":     {"nvidia-driver-cuda-3:580.95.05-1.el9.*\n", stage.Answer{Outcome: stage.Hung}, wish{version: "580.126.09"}, "", false, true},
		"the branch":         {"nvidia-driver-cuda-3:580.*-*.*\n", nothing, wish{version: "580.126.09"}, "nvidia-driver-cuda", false, false},
		"of the branch":      {"nvidia-driver-cuda-3:580.95.05-1.el9.*\n", nothing, wish{branch: "580"}, "nvidia-driver-cuda", false, false},
		"other software":     {"bash-0:5.1.8-9.el9.*\nlibnvidia-container1-0:1.17.8-1.*\n", nothing, wish{version: "580.126.09"}, "", false, false},
		"a companion":        {"nvidia-settings-3:535.171.04-1.el9.*\n", nothing, wish{version: "580.126.09"}, "", false, false},
		"a companion of it":  {"nvidia-settings-3:580.126.09-1.el9.*\n", nothing, wish{version: "580.126.09"}, "nvidia-settings", false, false},
		"kept out":           {"!nvidia-driver-cuda-3:580.95.05-1.el9.*\n", nothing, wish{version: "580.95.05"}, "", false, false},
	} {
		f := stage.Facts{"dnf.pins": answer("versionlock.list", c.locks), holdsID: c.record}
		kept, _ := c.wish.othersLocks(host{}, f)
		var names []string
		for _, l := range kept {
			names = append(names, l.Name)
		}
		if got := strings.Join(names, " "); got != c.kept {
			t.Errorf("%s: kept %q", name, got)
		}
		said := c.wish.aboutLocks(host{}, f)
		if (len(said) > 0) != c.refused || c.refused && !strings.Contains(said[0].Detail, "dnf versionlock delete nvidia-driver-cuda") {
			t.Errorf("%s: %v", name, said)
		}
		if v := c.wish.unsureLocks(host{}, f); (v != nil) != c.unsure || v != nil && v.Probe != holdsID {
			t.Errorf("%s: unsure %v", name, v)
		}
	}
}

func TestHoldsOfOthersAreTold(t *testing.T) {
	h := host{set: set{packages: []part{partOf("libcuda1", "580.95.05-1", "yes", ""), partOf("nvidia-modprobe", "580.95.05-1", "no", "")}}}
	w := wish{pin: byNobody}
	said := fmt.Sprint(w.aboutOthersHolds(h, stage.Facts{holdsID: {Outcome: stage.Absent}}, "apt-mark unhold"))
	if !strings.Contains(said, "To release them: apt-mark unhold libcuda1}") {
		t.Error(said)
	}
	for name, f := range map[string]stage.Facts{
		"ours":  {holdsID: {Outcome: stage.Answered, Body: []byte("driver-holds 8:libcuda1\nend 0:\n")}},
		"whose": {holdsID: {Outcome: stage.Hung}},
	} {
		if said := w.aboutOthersHolds(h, f, "apt-mark unhold"); len(said) > 0 {
			t.Errorf("%s: %v", name, said)
		}
	}
}
