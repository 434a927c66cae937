package ssh

import "strings"

// matchList says whether name fits a list of patterns as Host has them: one must
// fit, and none that starts with "!".
func matchList(patterns []string, name string) bool {
	found := false
	for _, p := range patterns {
		rest, negated := strings.CutPrefix(p, "!")
		if !wildcard(strings.ToLower(rest), strings.ToLower(name)) {
			continue
		}
		if negated {
			return false
		}
		found = true
	}
	return found
}

// wildcard knows "*" and "?" only: path.Match would stop at "/" and read "[".
func wildcard(pattern, name string) bool {
	for i := 0; i < len(pattern); i++ {
		if pattern[i] == '*' {
			for j := 0; j <= len(name); j++ {
				if wildcard(pattern[i+1:], name[j:]) {
					return true
				}
			}
			return false
		}
		if name == "" || (pattern[i] != '?' && pattern[i] != name[0]) {
			return false
		}
		name = name[1:]
	}
	return name == ""
}
