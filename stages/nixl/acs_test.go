package nixl

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pdprov/pdprov/stages/stage"
	"github.com/pdprov/pdprov/stages/stagetest"
)

// space is a bridge's configuration with ACS as the second of its extended capabilities,
// as far back as switches have it.
func space(control uint16) []byte {
	s := make([]byte, spaceSize)
	binary.LittleEndian.PutUint32(s[0x100:], 0xf24<<20|1<<16|0x0001)
	binary.LittleEndian.PutUint32(s[0xf24:], 1<<16|acsCapability)
	binary.LittleEndian.PutUint16(s[0xf24+acsControl:], control)
	return s
}

func TestACS(t *testing.T) {
	for name, c := range map[string]struct {
		bridges map[string][]byte
		nvidia  bool
		want    string
	}{
		"on":            {map[string][]byte{"0000:00:01.0": space(0x1d), "0000:00:02.0": space(0)}, true, "redirects at 1 of 2 bridges: 0000:00:01.0"},
		"off":           {map[string][]byte{"0000:00:01.0": space(0), "0000:00:02.0": make([]byte, spaceSize)}, true, "redirects at none of 2 bridges, 1 of which know ACS"},
		"no bridge":     {nil, true, "redirects at none of 0 bridges, 0 of which know ACS"},
		"no GPU":        {map[string][]byte{"0000:00:01.0": space(0x1d)}, false, "(absent)"},
		"a part of it":  {map[string][]byte{"0000:00:01.0": space(0x1d)[:64]}, true, "(unknown)"},
		"a broken list": {map[string][]byte{"0000:00:01.0": ring()}, true, "redirects at none of 1 bridges, 0 of which know ACS"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			put := func(device, file string, data []byte) {
				t.Helper()
				if err := os.MkdirAll(filepath.Join(dir, device), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(dir, device, file), data, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			put("0000:00:00.0", "vendor", []byte("0x8086\n"))
			put("0000:00:00.0", "class", []byte("0x060000\n"))
			if c.nvidia {
				put("0000:01:00.0", "vendor", []byte("0x10de\n"))
				put("0000:01:00.0", "class", []byte("0x030200\n"))
			}
			for name, config := range c.bridges {
				put(name, "vendor", []byte("0x1000\n"))
				put(name, "class", []byte("0x060400\n"))
				put(name, "config", config)
			}
			p := acsProbe()
			p.Script = strings.ReplaceAll(p.Script, "/sys/bus/pci/devices", dir)
			stagetest.EachShell(t, func(t *testing.T, shell []string) {
				if v := acs(stagetest.Look(t, shell, []stage.Probe{p})); v.String() != c.want {
					t.Errorf("%s: %s", v, v.Reason)
				}
			})
		})
	}
}

// ring is a list of capabilities that leads back to its start.
func ring() []byte {
	s := make([]byte, spaceSize)
	binary.LittleEndian.PutUint32(s[0x100:], 0x100<<20|1)
	return s
}
