package nixl

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"strings"

	"github.com/pdprov/pdprov/internal/record"
	"github.com/pdprov/pdprov/stages/stage"
)

const acsID = "nixl acs"

// acsProbe asks hosts with NVIDIA devices for the configuration space of their PCI bridges,
// where ACS is told. It is mostly zeros, so it travels compressed.
func acsProbe() stage.Probe {
	return stage.Probe{ID: acsID, Script: acsScript, MaxBytes: 1 << 20, Reads: []stage.Resource{"path:/sys/bus/pci/devices", "path:/proc/cmdline"}}
}

const acsScript = record.Say + record.Show + `
[ -d /sys/bus/pci/devices ] || { echo 'the kernel shows no /sys/bus/pci/devices' >&2; exit 1; }
nvidia=
names=
set --
for device in /sys/bus/pci/devices/*; do
  [ -f "$device/vendor" ] || continue
  vendor=$(show "$device/vendor") || exit 1
  class=$(show "$device/class") || exit 1
  [ "$vendor" != 0x10de ] || nvidia=yes
  case $class in
  0x0604*)
    names="$names ${device##*/}"
    set -- "$@" "$device/config"
    ;;
  esac
done
[ -n "$nvidia" ] || exit 66
say bridges "$names"
text=
[ "$#" -eq 0 ] || text=$(cat -- "$@" | gzip -c | base64) || exit 1
say config "$text"
say end ''
`

// Sizes and places in the configuration space of PCI Express.
const (
	spaceSize      = 4096
	firstExtended  = 0x100
	acsCapability  = 0x0d
	acsControl     = 6             // from the capability's start
	acsRedirecting = 1<<2 | 1<<3   // requests and completions of peers go up to the root
	mostExtended   = spaceSize / 8 // more would be a ring
)

// acs says at how many bridges traffic between GPUs is sent up to the root complex.
func acs(f stage.Facts) stage.Value {
	a := f.Get(acsID)
	switch a.Outcome {
	case stage.Absent:
		return stage.Nothing()
	case stage.Answered:
	default:
		return a.Unknown(acsID)
	}
	names, spaces, err := parseACS(a.Body)
	if err != nil {
		return stage.Value{Reason: "the answer makes no sense: " + err.Error(), Probe: acsID}
	}
	var redirecting []string
	known := 0
	for i, name := range names {
		control, ok := controlOf(spaces[i*spaceSize : (i+1)*spaceSize])
		if ok {
			known++
		}
		if control&acsRedirecting != 0 {
			redirecting = append(redirecting, name)
		}
	}
	if len(redirecting) == 0 {
		return stage.Is(fmt.Sprintf("redirects at none of %d bridges, %d of which know ACS", len(names), known))
	}
	return stage.Is(fmt.Sprintf("redirects at %d of %d bridges: %s", len(redirecting), len(names), strings.Join(redirecting, " ")))
}

func parseACS(body []byte) (names []string, spaces []byte, err error) {
	items, err := record.Items(body)
	if err != nil {
		return nil, nil, err
	}
	if len(items) != 2 || items[0].Name != "bridges" || items[1].Name != "config" {
		return nil, nil, fmt.Errorf("it has other parts")
	}
	names = strings.Fields(items[0].Data)
	if len(names) == 0 {
		return nil, nil, nil
	}
	packed, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(items[1].Data), ""))
	if err != nil {
		return nil, nil, err
	}
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, nil, err
	}
	spaces, err = io.ReadAll(io.LimitReader(r, int64(len(names))*spaceSize+1))
	if err == nil && len(spaces) != len(names)*spaceSize {
		err = fmt.Errorf("%d bytes for %d bridges, and each has %d", len(spaces), len(names), spaceSize)
	}
	return names, spaces, err
}

// controlOf follows the list of extended capabilities to ACS's control register.
func controlOf(space []byte) (control uint16, ok bool) {
	at := firstExtended
	for range mostExtended {
		head := binary.LittleEndian.Uint32(space[at:])
		if head == 0 || head == 0xffffffff {
			return 0, false
		}
		if head&0xffff == acsCapability {
			if at+acsControl+2 > len(space) {
				return 0, false
			}
			return binary.LittleEndian.Uint16(space[at+acsControl:]), true
		}
		at = int(head>>20) &^ 3
		if at < firstExtended || at+4 > len(space) {
			return 0, false
		}
	}
	return 0, false
}
