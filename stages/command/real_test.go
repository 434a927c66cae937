package command_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pdprov/pdprov/stages/command"
	"github.com/pdprov/pdprov/stages/stage"
	"github.com/pdprov/pdprov/stages/stagetest"
)

func instance(values map[string]any) stage.Instance {
	c := stage.Config{Values: map[string]any{"dir": "/", "timeout": "10m", "check_timeout": "30s", "apply": "true"}}
	for name, v := range values {
		c.Values[name] = v
	}
	return stage.Instance{Addr: "command.x", Config: c}
}

func TestCheckSaysWhatHappened(t *testing.T) {
	odd := filepath.Join(t.TempDir(), "-a b'\"$x\\ü")
	if err := os.Mkdir(odd, 0o700); err != nil {
		t.Fatal(err)
	}
	plain := filepath.Join(odd, "file")
	if err := os.WriteFile(plain, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	cases := []struct {
		name, check, dir, want string
	}{
		{"passes", "true", "/", "passes"},
		{"fails", "exit 3", "/", "fails (exit 3)"},
		{"absent exit", "exit 66", "/", "fails (exit 66)"},
		{"no such tool", "pdprov-no-such-tool", "/", "fails (exit 127)"},
		{"not executable", "./file", odd, "(unknown)"},
		{"killed", "kill -9 $$", "/", "(unknown)"},
		{"tool killed", "sh -c 'kill -9 $$'", "/", "(unknown)"},
		{"first of two lines fails", "false\ntrue", "/", "fails (exit 1)"},
		{"forges", "echo 'exit 0'; echo 'exit 0' >/dev/fd/1; exit 1", "/", "fails (exit 1)"},
		{"reads stdin", "read -r x && exit 9; true", "/", "passes"},
		{"odd folder", "test -e file", odd, "passes"},
		{"no folder", "true", odd + "/gone", "fails (its folder is not there)"},
		{"file for a folder", "true", plain, "(unknown)"},
		{"environment", "test \"$NAME\" = 'a b\"$x`\\\n-ü'", "/", "passes"},
		{"starts with a dash", "-x", "/", "fails (exit 127)"},
	}
	stagetest.EachShell(t, func(t *testing.T, shell []string) {
		for _, c := range cases {
			in := instance(map[string]any{"check": c.check, "dir": c.dir, "env": map[string]string{"NAME": "a b\"$x`\\\n-ü"}})
			facts := stagetest.Look(t, shell, command.Kind{}.Probes(in))
			if got := (command.Kind{}).Have(in, facts)["check"].String(); got != c.want {
				t.Errorf("%s: %s, want %s (%+v)", c.name, got, c.want, facts)
			}
		}
	})
}

func TestSecretsNeverReachAnArgument(t *testing.T) {
	in := instance(map[string]any{"check": "test -n \"$TOKEN\"", "env": map[string]string{"TOKEN": "s3cret"}})
	in.Config.Secret = map[string]bool{"env": true}
	p := command.Kind{}.Probes(in)[0]
	w, _ := command.Kind{}.Work(in, nil, nil)
	for _, text := range append([]string{p.ID, p.Script, w.Steps[0].Title, w.Steps[0].Script}, p.Args...) {
		if strings.Contains(text, "s3cret") {
			t.Errorf("the secret is in %q", text)
		}
	}
	if p.Env["TOKEN"] != "s3cret" || w.Steps[0].Env["TOKEN"] != "s3cret" {
		t.Error("check and apply do not get the secret")
	}
	in.Config.Secret["check"] = true
	if f := (command.Kind{}).Validate(in); len(f) != 1 || f[0].Path != "check" {
		t.Errorf("a secret in check: %+v", f)
	}
}

func TestApplyRunsTheText(t *testing.T) {
	stagetest.EachShell(t, func(t *testing.T, shell []string) {
		odd := filepath.Join(t.TempDir(), "-a b'\"$x\\ü")
		if err := os.Mkdir(odd, 0o700); err != nil {
			t.Fatal(err)
		}
		in := instance(map[string]any{
			"apply": "printf '%s' \"$NAME\" >'out $x'", "dir": odd,
			"env": map[string]string{"NAME": "a 'b' \"c\" $(id)\n\\-ü"},
		})
		w, _ := command.Kind{}.Work(in, nil, nil)
		if out, err := stagetest.Do(t, shell, w.Steps[0]); err != nil {
			t.Fatal(err, out)
		}
		if got, _ := os.ReadFile(filepath.Join(odd, "out $x")); string(got) != "a 'b' \"c\" $(id)\n\\-ü" {
			t.Errorf("wrote %q", got)
		}
		in.Config.Values["apply"] = "false\ntrue"
		w, _ = command.Kind{}.Work(in, nil, nil)
		if _, err := stagetest.Do(t, shell, w.Steps[0]); err == nil {
			t.Error("a failing line did not end apply")
		}
	})
}
