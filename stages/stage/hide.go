package stage

import (
	"sort"
	"strings"
)

// shortSecret is the length below which a text is not looked for in what a host says:
// it would be found everywhere.
const shortSecret = 4

// Hide takes the sensitive values of a block out of a text that a host said, for
// instance a command that prints its own environment.
func (c Config) Hide(text string) string {
	for _, secret := range c.secrets() {
		text = strings.ReplaceAll(text, secret, "(sensitive)")
	}
	return text
}

// secrets are the sensitive texts, the longest first, so that one that holds another
// is hidden whole; of a text with several lines each line counts as well.
func (c Config) secrets() (list []string) {
	add := func(text string) {
		for _, s := range append(strings.Split(text, "\n"), text) {
			if len(s) >= shortSecret {
				list = append(list, s)
			}
		}
	}
	for name := range c.Secret {
		switch v := c.Values[name].(type) {
		case string:
			add(v)
		case []string:
			for _, s := range v {
				add(s)
			}
		case map[string]string:
			for key, s := range v {
				add(s)
				if c.SecretKeys[name] {
					add(key)
				}
			}
		}
	}
	sort.Slice(list, func(i, j int) bool {
		return len(list[i]) > len(list[j]) || len(list[i]) == len(list[j]) && list[i] < list[j]
	})
	return list
}
