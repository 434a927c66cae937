package eval

import (
	"sort"
	"strconv"
	"strings"

	"github.com/zclconf/go-cty/cty"
)

// shortestSecret is the length from which a text is looked for in messages: a shorter
// one would be found in the middle of words.
const shortestSecret = 4

// secretTexts are all texts in a value, such as they may stand in a message.
func secretTexts(v cty.Value) (texts []string) {
	_ = cty.Walk(v, func(_ cty.Path, x cty.Value) (bool, error) {
		x, _ = x.Unmark()
		if x.Type() == cty.String && x.IsKnown() && !x.IsNull() && len(x.AsString()) >= shortestSecret {
			quoted := strconv.Quote(x.AsString())
			texts = append(texts, x.AsString(), quoted[1:len(quoted)-1])
		}
		return true, nil
	})
	return texts
}

// hide takes secrets out of a message, the longest first.
func hide(text string, secrets []string) string {
	sort.Slice(secrets, func(i, j int) bool { return len(secrets[i]) > len(secrets[j]) })
	for _, s := range secrets {
		text = strings.ReplaceAll(text, s, "(sensitive)")
	}
	return text
}
