package unit

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/pdprov/pdprov/stages/stage"
	"github.com/pdprov/pdprov/stages/stagetest"
)

// A systemctl that fails, dies, says nothing or something else never makes a unit
// absent, inactive or in sync.
func TestBrokenToolsGiveUnknown(t *testing.T) {
	stubs := map[string]string{
		"no bus":     "echo 'Failed to connect to bus: No such file or directory' >&2; exit 1",
		"killed":     "kill -9 $$",
		"silent":     "exit 0",
		"status 66":  "exit 66",
		"garbage":    "printf 'LoadState\\0=\\n\\n\\nfoo'",
		"one less":   "printf 'Id=a.service\\nLoadState=not-found\\nActiveState=inactive\\n'",
		"one more":   "printf 'LoadState=not-found\\nActiveState=inactive\\n\\nLoadState=not-found\\nActiveState=inactive\\n\\nLoadState=not-found\\nActiveState=inactive\\n'",
		"own record": "printf 'LoadState=not-found\\nActiveState=inactive\\nend 0:\\n'",
	}
	a := instance(map[string]any{"name": "a.service", "running": true, "enabled": true}, nil)
	b := instance(map[string]any{"name": "b.service", "running": false, "enabled": false}, nil)
	stagetest.EachShell(t, func(t *testing.T, shell []string) {
		for name, text := range stubs {
			bin := t.TempDir()
			if err := os.WriteFile(filepath.Join(bin, "systemctl"), []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
				t.Fatal(err)
			}
			stubbed := append([]string{"env", "PATH=" + bin + ":/usr/bin:/bin"}, shell...)
			facts := stagetest.Look(t, stubbed, append(Kind{}.Probes(a), Kind{}.Probes(b)...))
			for _, in := range []stage.Instance{a, b} {
				have := Kind{}.Have(in, facts)
				for _, path := range []string{"running", "enabled", "reload", "dropins"} {
					if have[path].State != stage.Unknown || have[path].Reason == "" {
						t.Errorf("%s: %s %s is seen as %+v", name, in.Config.Text("name"), path, have[path])
					}
				}
			}
		}
	})
}

func TestEnablementThatCannotBeTold(t *testing.T) {
	show := "printf 'LoadState=loaded\\nActiveState=active\\nNeedDaemonReload=no\\n'"
	for name, text := range map[string]string{
		"fails":        "exit 4",
		"two lines":    "echo enabled; echo disabled",
		"a sentence":   "echo 'Failed to get unit file state'; exit 1",
		"another exit": "echo enabled; exit 9",
	} {
		bin := t.TempDir()
		stub := "#!/bin/sh\ncase $1 in\nshow) " + show + " ;;\n*) " + text + " ;;\nesac\n"
		if err := os.WriteFile(filepath.Join(bin, "systemctl"), []byte(stub), 0o755); err != nil {
			t.Fatal(err)
		}
		in := instance(map[string]any{"name": "a.service", "enabled": true}, nil)
		facts := stagetest.Look(t, []string{"env", "PATH=" + bin + ":/usr/bin:/bin", "dash"}, Kind{}.Probes(in))
		have := Kind{}.Have(in, facts)
		if have["enabled"].State != stage.Unknown || have["running"].Text != "active" {
			t.Errorf("%s: %+v", name, have)
		}
	}
}

func FuzzPick(f *testing.F) {
	f.Fuzz(func(t *testing.T, body []byte) {
		if s, err := pick(body, "a.service"); err == nil && s.props["ActiveState"] == "" {
			t.Errorf("a unit without a state from %q", body)
		}
	})
}
