package funcs

import (
	"errors"
	"strings"

	yaml "github.com/zclconf/go-cty-yaml"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
)

// What a YAML document may hold at most. A part that is repeated by name makes a small
// document a great one, and its reader calls itself for each level.
const (
	maxYAMLBytes = 1 << 20
	maxYAMLDepth = 500
	maxYAMLParts = 1_000_000
)

// yamlDecodeFunc reads one YAML document.
var yamlDecodeFunc = function.New(&function.Spec{
	Params: []function.Parameter{{Name: "src", Type: cty.String}},
	Type: func(args []cty.Value) (cty.Type, error) {
		if !args[0].IsKnown() {
			return cty.DynamicPseudoType, nil
		}
		text := args[0].AsString()
		if len(text) > maxYAMLBytes || tooDeep(text) {
			return cty.NilType, function.NewArgErrorf(0, "a YAML document has at most %d bytes and %d levels", maxYAMLBytes, maxYAMLDepth)
		}
		t, err := yaml.ImpliedType([]byte(text))
		if err == nil && parts(t, maxYAMLParts) == 0 {
			err = errors.New("what it repeats by name makes it too large")
		}
		if err != nil {
			return cty.NilType, function.NewArgError(0, err)
		}
		return t, nil
	},
	Impl: func(args []cty.Value, t cty.Type) (cty.Value, error) {
		return yaml.Unmarshal([]byte(args[0].AsString()), t)
	},
})

// tooDeep counts brackets, and the signs of a list in one line, also those in texts, which
// nobody writes that way.
func tooDeep(text string) bool {
	depth, signs := 0, 0
	for i, c := range text {
		switch {
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			depth--
		case strings.HasPrefix(text[i:], "- ") || strings.HasPrefix(text[i:], "? "):
			signs++
		case c != ' ':
			signs = 0
		}
		if depth > maxYAMLDepth || signs > maxYAMLDepth {
			return true
		}
	}
	return false
}

// parts takes the parts of a type off a number, and stops at 0.
func parts(t cty.Type, left int) int {
	left = max(left-1, 0)
	var inner []cty.Type
	if t.IsTupleType() {
		inner = t.TupleElementTypes()
	}
	if t.IsObjectType() {
		for _, a := range t.AttributeTypes() {
			inner = append(inner, a)
		}
	}
	for _, x := range inner {
		if left == 0 {
			break
		}
		left = parts(x, left)
	}
	return left
}
