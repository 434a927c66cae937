package ssh

import (
	"slices"
	"strings"
	"testing"
)

func TestSplitWords(t *testing.T) {
	for text, want := range map[string][]string{
		`a  b` + "\tc":      {"a", "b", "c"},
		`"a b" c`:           {"a b", "c"},
		`'a "b' c\"d e\\`:   {`a "b`, `c"d`, `e\`},
		`a # b`:             {"a"},
		`a#b`:               {"a#b"},
		`"#a" ""`:           {"#a", ""},
		`C:\temp`:           {`C:\temp`},
		`x"y z"w`:           {"xy zw"},
		``:                  nil,
		`%h "${HOME}/x y" `: {"%h", "${HOME}/x y"},
	} {
		if got, err := splitWords(text); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s became %q, %v; want %q", text, got, err, want)
		}
	}
}

// FuzzSplitWords: words that are quoted come back as they were.
func FuzzSplitWords(f *testing.F) {
	f.Add("a b", `c"d\`)
	f.Fuzz(func(t *testing.T, a, b string) {
		if strings.ContainsAny(a+b, "\n\r") {
			t.Skip("a line has no line break")
		}
		line, err := parseLine("Host " + quoted(a) + "\t" + quoted(b))
		if err != nil || !slices.Equal(line.words, []string{a, b}) {
			t.Errorf("%q and %q became %q, %v", a, b, line.words, err)
		}
		parseLine(a) // must not panic
	})
}

func quoted(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, `'`, `\'`).Replace(s) + `"`
}

func TestPatterns(t *testing.T) {
	for _, tt := range []struct {
		patterns, name string
		want           bool
	}{
		{"*", "", true},
		{"gpu?", "gpu1", true},
		{"gpu?", "gpu", false},
		{"*.example.com", "a.b.Example.com", true},
		{"10.0.*.1?", "10.0.3.12", true},
		{"* !gpu1", "gpu1", false},
		{"!gpu1", "gpu2", false},
		{"a[b", "a[b", true},
		{"a*b*c", "aXbYbZc", true},
		{"a*b*c", "aXbYbZ", false},
	} {
		if got := matchList(strings.Fields(tt.patterns), tt.name); got != tt.want {
			t.Errorf("%q for %q: %v", tt.patterns, tt.name, got)
		}
	}
}
