package eval

import (
	"sort"
	"strconv"
	"strings"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
)

// shortestSecret is the length from which a text is looked for in messages: a shorter
// one would be found in the middle of words.
const shortestSecret = 4

// secretTexts are all texts and keys in a value, such as they may stand in a message.
func secretTexts(v cty.Value) (texts []string) {
	_ = cty.Walk(v, func(path cty.Path, x cty.Value) (bool, error) {
		for _, part := range []cty.Value{x, lastKey(path)} {
			part, _ = part.Unmark()
			if part.IsNull() || !part.IsKnown() || part.Type() != cty.String && part.Type() != cty.Number {
				continue
			}
			if text, err := convert.Convert(part, cty.String); err == nil {
				texts = append(texts, spellings(text.AsString())...)
			}
		}
		return true, nil
	})
	return texts
}

// spellings are the ways in which a message may print a text: whole, one of its lines,
// and each of them with escapes.
func spellings(text string) (list []string) {
	for _, s := range append(strings.Split(text, "\n"), text) {
		if len(s) >= shortestSecret {
			quoted := strconv.Quote(s)
			list = append(list, s, quoted[1:len(quoted)-1])
		}
	}
	return list
}

// hide takes secrets out of a message, the longest first.
func hide(text string, secrets []string) string {
	sort.Slice(secrets, func(i, j int) bool { return len(secrets[i]) > len(secrets[j]) })
	for _, s := range secrets {
		text = strings.ReplaceAll(text, s, "(sensitive)")
	}
	return text
}
