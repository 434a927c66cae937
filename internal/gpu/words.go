package gpu

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/pdprov/pdprov/stages/stage"
)

var (
	uuidForm       = regexp.MustCompile(`^GPU-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)
	holderForm     = regexp.MustCompile(`^(GPU|MIG)-[0-9a-zA-Z/-]{1,100}$`)
	versionForm    = regexp.MustCompile(`^[0-9]{1,5}\.[0-9]{1,5}(\.[0-9]{1,5})?$`)
	capabilityForm = regexp.MustCompile(`^[0-9]{1,3}\.[0-9]{1,2}$`)
	numberForm     = regexp.MustCompile(`^[0-9]{1,12}$`)
	onOffForm      = regexp.MustCompile(`^(Enabled|Disabled)$`)
	wordForm       = regexp.MustCompile(`^[A-Za-z][A-Za-z _/-]{0,60}$`)
	nameForm       = regexp.MustCompile(`^[^\x00-\x1f\x7f]{1,200}$`)
	addressForm    = regexp.MustCompile(`^([0-9a-f]{4,8}):([0-9a-f]{2}:[0-9a-f]{2}\.[0-7])$`)
)

// noValue are the words with which nvidia-smi says that it has no value; whatever stands
// in brackets is one as well. "None" is not: it is a value of gpu_recovery_action.
var noValue = []string{"N/A", "Not Supported", "Not Found", "Unknown Error", "Requested functionality has been deprecated", "Deprecated"}

// cell is a field of nvidia-smi. A word that stands for no value, or a text that is not
// of the form, is unknown: never 0 and never "Disabled".
func cell(probe, field, text string, form *regexp.Regexp) stage.Value {
	said := text == "" || strings.HasPrefix(text, "[")
	for _, w := range noValue {
		said = said || strings.HasPrefix(text, w)
	}
	if said || !form.MatchString(text) {
		return unknown(probe, "nvidia-smi says "+strconv.Quote(short(text))+" for "+field)
	}
	return stage.Is(text)
}

// Address is a PCI address as sysfs writes it: nvidia-smi says "00000000:F4:00.0".
func Address(s string) (string, bool) {
	m := addressForm.FindStringSubmatch(strings.ToLower(s))
	if m == nil {
		return "", false
	}
	domain := m[1]
	for len(domain) > 4 && domain[0] == '0' {
		domain = domain[1:]
	}
	return domain + ":" + m[2], true
}

func short(s string) string {
	if len(s) > 120 {
		return s[:120] + "..."
	}
	return s
}
