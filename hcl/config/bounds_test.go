package config

import (
	"os"
	"strings"
	"syscall"
	"testing"
)

// TestNoTextEndsTheProgram: the parser's stack is bounded, so a text may not nest for ever.
func TestNoTextEndsTheProgram(t *testing.T) {
	t.Chdir(t.TempDir())
	const n = 100_000
	for name, expr := range map[string]string{
		"parentheses":   strings.Repeat("(", n) + "1" + strings.Repeat(")", n),
		"open only":     strings.Repeat("[", n),
		"objects":       strings.Repeat("{a=", n) + "1" + strings.Repeat("}", n),
		"templates":     strings.Repeat(`"${`, n) + "1" + strings.Repeat(`}"`, n),
		"signs":         strings.Repeat("!", n) + "true",
		"minus":         strings.Repeat("- ", n) + "1",
		"conditionals":  strings.Repeat("true ? 1 : ", n) + "1",
		"calls":         strings.Repeat("abs(", n) + "1" + strings.Repeat(")", n),
		"indexes":       strings.Repeat("a[", n) + "1" + strings.Repeat("]", n),
		"across lines":  "(" + strings.Repeat("true ? 1 :\n", n) + "1)",
		"a great file":  `"` + strings.Repeat("x", maxBytes) + `"`,
		"long and flat": "[" + strings.Repeat("-1,", 1000) + "1]",
	} {
		text := []byte("locals {\n  x = " + expr + "\n}\n")
		diags := NewReader().Text(&Module{}, text, "x.hcl", ".")
		if refused := diags.HasErrors() && strings.Contains(diags[0].Summary, "More than"); refused == (name == "long and flat") {
			t.Errorf("%s: %v", name, diags)
		}
		if _, diags := Format(text, "x.hcl"); !diags.HasErrors() && name != "long and flat" {
			t.Errorf("fmt takes %s", name)
		}
	}
}

// TestOnlyFilesAreRead: what merely has the name of a plan file is passed over.
func TestOnlyFilesAreRead(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, err := range []error{
		syscall.Mkfifo("pipe.hcl", 0o600), os.Mkdir("folder", 0o700), os.Symlink("folder", "link.hcl"),
		os.WriteFile("plan", []byte("host \"a\" {}\n"), 0o600), os.Symlink("plan", "plan.hcl"),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	m, diags := NewReader().Paths(nil)
	if diags.HasErrors() || len(m.Hosts) != 1 {
		t.Errorf("%v %v", m.Hosts, diags)
	}
	if err := os.Symlink("nowhere", "dangling.hcl"); err != nil {
		t.Fatal(err)
	}
	if _, diags := NewReader().Paths(nil); !strings.Contains(diags.Error(), "dangling.hcl") {
		t.Errorf("a link that leads nowhere: %v", diags)
	}
}
