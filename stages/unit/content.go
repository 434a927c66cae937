package unit

import (
	"fmt"
	"strings"
)

// text is a unit file as far as this kind needs it: section -> key -> last value.
type text map[string]map[string]string

// parse reads a unit file and says what keeps systemd from reading it.
func parse(content string) (text, string) {
	t := text{}
	section := ""
	continued := false
	for i, line := range strings.Split(content, "\n") {
		whole := strings.TrimSpace(line)
		if comment := whole != "" && strings.ContainsRune("#;", rune(whole[0])); comment || whole == "" && !continued {
			continue
		}
		wasContinued := continued
		continued = strings.HasSuffix(whole, `\`)
		key, value, ok := strings.Cut(whole, "=")
		switch {
		case wasContinued:
		case whole[0] == '[' && whole[len(whole)-1] == ']':
			section = whole[1 : len(whole)-1]
			if t[section] == nil {
				t[section] = map[string]string{}
			}
		case section == "":
			return nil, fmt.Sprintf("Line %d stands before the first [Section].", i+1)
		case !ok:
			return nil, fmt.Sprintf("Line %d is neither a [Section] nor Key=Value: %.80q.", i+1, whole)
		default:
			t[section][strings.TrimSpace(key)] = strings.TrimSpace(value)
		}
	}
	if len(t) == 0 {
		return nil, "It has no [Section] at all; systemd takes an empty unit file for a mask."
	}
	return t, ""
}

// installs says whether the unit can be enabled.
func (t text) installs() bool {
	for _, key := range []string{"WantedBy", "RequiredBy", "UpheldBy", "Alias", "Also"} {
		if t["Install"][key] != "" {
			return true
		}
	}
	return false
}

// ends says whether the unit is inactive once its command has ended.
func (t text) ends() bool {
	remains := strings.ToLower(t["Service"]["RemainAfterExit"])
	return t["Service"]["Type"] == "oneshot" && remains != "yes" && remains != "true" && remains != "1" && remains != "on"
}
