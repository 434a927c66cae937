package main

import (
	"slices"
	"testing"
)

func TestParse(t *testing.T) {
	tests := []struct{ in, want []string }{
		{[]string{"reimage", "h1", "--trust"}, []string{"h1"}},
		{[]string{"reimage", "--trust", "--dir", "/d", "h1"}, []string{"h1"}},
		{[]string{"exec", "--dir", "/d", "h1", "ls", "--dir", "x"}, []string{"h1", "ls", "--dir", "x"}},
		{[]string{"run", "--", "ls", "-l"}, []string{"ls", "-l"}},
		{[]string{"delay", "h1", "80ms", "5%"}, []string{"h1", "80ms", "5%"}},
	}
	for _, test := range tests {
		i := slices.IndexFunc(commands(), func(c command) bool { return c.name == test.in[0] })
		u, err := commands()[i].parse(test.in[1:])
		if err != nil || !slices.Equal(u.args, test.want) {
			t.Errorf("%q: %q, %v", test.in, u.args, err)
			continue
		}
		if test.in[0] == "reimage" && u.flag("trust") != true {
			t.Errorf("%q: --trust was not seen", test.in)
		}
	}
}
