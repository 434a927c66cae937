package sysctl

import (
	"strings"
	"testing"

	"github.com/pdprov/pdprov/stages/stage"
)

// Whatever a host prints, a key is only missing when the probe said so.
func FuzzRunning(f *testing.F) {
	f.Add("./vm/swappiness:60\nasked ./vm/swappiness\nend\n")
	f.Add("absent ./vm/swappiness\nend\n")
	f.Add("end\n")
	f.Add("asked ./vm/swappiness\nerr grep: ./vm/swappiness: Input/output error\nend\n")
	k := key{name: "vm.swappiness", proc: "vm/swappiness", value: "1"}
	f.Fuzz(func(t *testing.T, body string) {
		v := running(k, stage.Facts{runningID(k): {Outcome: stage.Answered, Body: []byte(body)}})
		if v.State == stage.None && !strings.Contains(body, "absent ./vm/swappiness\n") {
			t.Errorf("absent without a word about it: %q", body)
		}
	})
}

func FuzzParseBoot(f *testing.F) {
	f.Add("file /etc/sysctl.conf\n/etc/sysctl.conf:1:vm.swappiness = 1\nend\n")
	f.Add("file /run/sysctl.d/a.conf\n/run/sysctl.d/a.conf:1:-net.*.x\nend\n")
	f.Fuzz(func(t *testing.T, body string) {
		b, err := parseBoot(body)
		if err != nil {
			return
		}
		if s := b.winner("vm/swappiness"); s != nil && !strings.Contains(body, s.file+":") {
			t.Errorf("a setting from nowhere: %+v of %q", s, body)
		}
	})
}

func TestProcPath(t *testing.T) {
	for name, want := range map[string]string{
		"vm.swappiness": "vm/swappiness", "net.ipv4.conf.eth0/1.forwarding": "net/ipv4/conf/eth0.1/forwarding",
		"net/ipv4/conf/eth0.1/forwarding": "net/ipv4/conf/eth0.1/forwarding", "x": "x",
	} {
		if got := procPath(name); got != want {
			t.Errorf("procPath(%q) = %q, want %q", name, got, want)
		}
	}
}
