package unit

import (
	"fmt"
	"strings"
)

// ParseShow reads the answer of "systemctl show a b c": one map of properties a unit,
// in the order asked. Values are raw; a property that is said again (ExecStart, Listen)
// has its values on a line each, and a line that does not look like Key=Value belongs to
// the value before it.
func ParseShow(body []byte) ([]map[string]string, error) {
	var units []map[string]string
	var unit map[string]string
	last := ""
	for line := range strings.Lines(string(body)) {
		line = strings.TrimSuffix(line, "\n")
		key, value, ok := strings.Cut(line, "=")
		switch {
		case line == "":
			unit = nil
		case ok && property(key):
			if unit == nil {
				unit = map[string]string{}
				units = append(units, unit)
			}
			if before, again := unit[key]; again {
				value = before + "\n" + value
			}
			unit[key], last = value, key
		case unit != nil:
			unit[last] += "\n" + line
		default:
			return nil, fmt.Errorf("systemctl show said %.100q", line)
		}
	}
	return units, nil
}

// property says whether a word can be the name of a property: "ActiveState", "IPAddressAllow".
func property(word string) bool {
	return word != "" && word[0] >= 'A' && word[0] <= 'Z' &&
		strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") == ""
}
