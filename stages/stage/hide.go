package stage

import (
	"sort"
	"strconv"
	"strings"
)

// shortSecret is the length below which a text is not looked for in what a host or a
// message says: it would be found everywhere.
const shortSecret = 4

// Spellings are the ways in which a text may be printed: whole, one of its lines, and
// each of them with escapes.
func Spellings(text string) (list []string) {
	for _, s := range append(strings.Split(text, "\n"), text) {
		if len(s) < shortSecret {
			continue
		}
		list = append(list, s)
		if quoted := strconv.Quote(s); quoted[1:len(quoted)-1] != s {
			list = append(list, quoted[1:len(quoted)-1])
		}
	}
	return list
}

// Conceal takes texts out of another, the longest first, so that one that holds another
// is hidden whole.
func Conceal(text string, secrets ...[]string) string {
	var all []string
	for _, list := range secrets {
		all = append(all, list...)
	}
	sort.Slice(all, func(i, j int) bool {
		return len(all[i]) > len(all[j]) || len(all[i]) == len(all[j]) && all[i] < all[j]
	})
	for _, s := range all {
		text = strings.ReplaceAll(text, s, "(sensitive)")
	}
	return text
}

// Secrets are the sensitive texts of a block, as they may be printed.
func (c Config) Secrets() (list []string) {
	for name := range c.Secret {
		switch v := c.Values[name].(type) {
		case string:
			list = append(list, Spellings(v)...)
		case []string:
			for _, s := range v {
				list = append(list, Spellings(s)...)
			}
		case map[string]string:
			for key, s := range v {
				list = append(list, Spellings(s)...)
				if c.SecretKeys[name] {
					list = append(list, Spellings(key)...)
				}
			}
		}
	}
	return list
}
