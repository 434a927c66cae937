package commandline

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestPlain(t *testing.T) {
	for command, want := range map[string]string{
		"dnf --releasever=9 -y install  jq ":                "dnf install jq",
		"/usr/bin/apt-get -o Proxy=http://u:p@x install jq": "apt-get install jq",
		"/usr/bin/python3 /usr/bin/unattended-upgrade":      "python3 unattended-upgrade",
		"dnf install /root/a.rpm":                           "dnf install /root/a.rpm",
		"dnf -o":                                            "dnf",
		"dnf install \xff":                                  "dnf install \ufffd",
		"":                                                  "",
	} {
		if got := Plain(command, []string{"-o"}); got != want {
			t.Errorf("%q: %q, want %q", command, got, want)
		}
	}
	long := Plain("dnf "+strings.Repeat("ü", 200), nil)
	if len(long) > longest+3 || !utf8.ValidString(long) || !strings.HasSuffix(long, "...") {
		t.Errorf("%q", long)
	}
}
