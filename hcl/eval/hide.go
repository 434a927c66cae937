package eval

import (
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"github.com/pdprov/pdprov/stages/stage"
)

// secretTexts are all texts and keys in a value, such as they may stand in a message.
func secretTexts(v cty.Value) (texts []string) {
	_ = cty.Walk(v, func(path cty.Path, x cty.Value) (bool, error) {
		for _, part := range []cty.Value{x, lastKey(path)} {
			part, _ = part.Unmark()
			if part.IsNull() || !part.IsKnown() || part.Type() != cty.String && part.Type() != cty.Number {
				continue
			}
			if text, err := convert.Convert(part, cty.String); err == nil {
				texts = append(texts, stage.Spellings(text.AsString())...)
			}
		}
		return true, nil
	})
	return texts
}
