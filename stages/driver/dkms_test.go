package driver

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadDKMS(t *testing.T) {
	for text, want := range map[string]map[string]string{
		"0\nnvidia/580.95.05, 6.8.0-79-generic, x86_64: installed\nnvidia/580.126.09: added\n": {"6.8.0-79-generic": "580.95.05 installed"},
		"0\nnvidia, 580.95.05, 6.8.0-79-generic, x86_64: installed\n":                          {"6.8.0-79-generic": "580.95.05 installed"},
		"0\nnvidia/580.95.05, 6.8.0-79-generic, x86_64: installed (Differences between built and installed modules)\n": {
			"6.8.0-79-generic": "580.95.05 installed (Differences between built and installed modules)",
		},
		"0\nnvidia/580.95.05, 6.8.0-80-generic, x86_64: broken\nnvidia/570.195.03, 6.8.0-80-generic, x86_64: built": {
			"6.8.0-80-generic": "580.95.05 broken, 570.195.03 built",
		},
		"0\n": {},
		"1\nError! something: else, with, commas, x86_64: y": {},
	} {
		if d := cmp.Diff(want, readDKMS(text)); d != "" {
			t.Errorf("%q: %s", text, d)
		}
	}
}
