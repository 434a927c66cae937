package supervisor

import (
	"strings"
	"testing"
)

// What qemu 7.2 said while its guest reset the machine.
const qemu72Reset = `{"QMP": {"version": {"qemu": {"micro": 22, "minor": 2, "major": 7}, "package": "Debian 1:7.2+dfsg-7+deb12u18+b3"}, "capabilities": ["oob"]}}
{"return": {}}
{"timestamp": {"seconds": 1796255817, "microseconds": 393586}, "event": "SHUTDOWN", "data": {"guest": true, "reason": "guest-reset"}}
`

func TestSawReset(t *testing.T) {
	cut, _, _ := strings.Cut(qemu72Reset, `{"timestamp"`)
	tests := []struct {
		name, events string
		want         bool
	}{
		{"a reboot", qemu72Reset, true},
		{"a poweroff", strings.Replace(qemu72Reset, "guest-reset", "guest-shutdown", 1), false},
		{"killed", cut, false},
		{"nothing", "", false},
	}
	for _, test := range tests {
		if got := sawReset(strings.NewReader(test.events)); got != test.want {
			t.Errorf("%s: %v", test.name, got)
		}
	}
}
