package config_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pdprov/pdprov/hcl/config"
)

// TestShippedLayout: what comes with pdprov is laid out as pdprov fmt lays it out.
func TestShippedLayout(t *testing.T) {
	var files []string
	for _, pattern := range []string{"modules/*/*.hcl", "examples/*.hcl", "examples/*/*.hcl"} {
		found, err := filepath.Glob(filepath.Join("../..", pattern))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	if len(files) < 2 {
		t.Fatalf("only %q are looked at", files)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		formatted, diags := config.Format(text, file)
		if diags.HasErrors() || !bytes.Equal(text, formatted) {
			t.Errorf("%s is not laid out as pdprov fmt does it; %v", file, diags)
		}
	}
}

func TestFormat(t *testing.T) {
	got, diags := config.Format([]byte("host \"a\" {\naddress=\"x\"\n  user =  \"y\" # who\n}\n"), "x.hcl")
	if want := "host \"a\" {\n  address = \"x\"\n  user    = \"y\" # who\n}\n"; diags.HasErrors() || string(got) != want {
		t.Errorf("%q %v", got, diags)
	}
	broken := "host \"a\" {\naddress=\n"
	if got, diags := config.Format([]byte(broken), "x.hcl"); !diags.HasErrors() || string(got) != broken {
		t.Errorf("%q %v", got, diags)
	}
}

func TestSuggest(t *testing.T) {
	known := []string{"address", "user", "port", "a"}
	for given, want := range map[string]string{
		"adress": `"address"`, "prot": `"port"`, "usr": `"user"`, "b": "", "xy": "", "colour": "", "": "",
	} {
		if got := config.Suggest(given, known); want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("Suggest(%q) = %q", given, got)
		}
	}
}
